"""What commands have in common: options, help, values, how results are printed."""
