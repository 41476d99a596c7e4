// The page of an answer is whole without scripts; this one offers the choice of light and dark.
startTheme();
document.documentElement.dataset.ready = "yes";
