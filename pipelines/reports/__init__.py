"""What people look at: the HTML report, tables for papers, plots."""
