"""Answers with quotes of their document, withheld where these support them too little."""
