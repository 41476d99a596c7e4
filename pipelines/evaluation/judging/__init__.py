"""A model, the judge, says of each prediction whether it is right, given question, references and prediction."""
