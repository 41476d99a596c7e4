"""Where gold evidence is lost on its way to the reader."""
