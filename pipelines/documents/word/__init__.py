"""Word's parts: styles, numbers, and the elements of the text."""
