"""Regression, charts, graphs."""

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import networkx
import numpy as np
import pandas as pd
import pypdf
import seaborn
import statsmodels.api as sm
from scipy import stats
from sklearn.linear_model import LinearRegression

x = np.arange(50.0)
y = 3 * x + 1
assert abs(LinearRegression().fit(x[:, None], y).coef_[0] - 3) < 1e-6
assert abs(sm.OLS(y, sm.add_constant(x)).fit().params[1] - 3) < 1e-6
assert abs(stats.linregress(x, y).slope - 3) < 1e-6
assert networkx.shortest_path_length(networkx.path_graph(5), 0, 4) == 4

seaborn.lineplot(data=pd.DataFrame({"x": x, "y": y}), x="x", y="y")
plt.title("Birds by month")
plt.savefig("/output/chart.png")
plt.savefig("/output/chart.pdf")
assert open("/output/chart.png", "rb").read(8) == b"\x89PNG\r\n\x1a\n"
assert "Birds by month" in pypdf.PdfReader("/output/chart.pdf").pages[0].extract_text()
print("all well")
