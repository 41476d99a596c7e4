// Starts the page of several tasks: nothing is unpacked, its tables are all there is.
startTheme();
startTables();
startSections();
document.documentElement.dataset.ready = "yes";
