"""Predict the kinds of flowers with the model in the space."""

import joblib
import pandas as pd

model = joblib.load("/mnt/models/flowers.joblib")
flowers = pd.read_csv("/input/new.csv")
flowers["kind"] = model.predict(flowers[["length", "width"]])
flowers.to_csv("/output/kinds.csv", index=False)
