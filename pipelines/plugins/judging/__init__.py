"""A judge is a model that says whether a prediction is right, given question, references and prediction."""
