"""What other programs and people call the kinds of output: a wrong name is answered by meaning, not by its letters."""

from __future__ import annotations

from collections.abc import Mapping

_CALLED: Mapping[str, tuple[str, ...]] = {
    "crosstab": (
        "freq",
        "freqs",
        "tab",
        "tabulate",
        "tab2",
        "xtab",
        "xtabs",
        "table",
        "cross-tabulation",
        "contingency",
    ),
    "frequencies": ("tab1", "value_counts", "histogram", "hist", "bar", "bars", "barchart", "pie"),
    "linear": ("ols", "lm", "regress", "reg", "gaussian", "linear-regression", "regression", "wls", "anova"),
    "logistic": ("logit", "logreg", "binomial", "logistic-regression", "glm-binomial", "or", "odds"),
    "multinomial": ("mlogit", "mnlogit", "polytomous", "multinom", "softmax"),
    "poisson": ("count", "glm-poisson", "irr", "ppml"),
    "negative-binomial": ("negbin", "nb", "nbreg", "nb2", "negativebinomial", "negative_binomial", "glm.nb"),
    "cox": ("coxph", "stcox", "hazard", "phreg", "proportional-hazards"),
    "ordered-logit": ("ologit", "polr", "ordinal", "proportional-odds"),
    "regression-tree": ("decisiontreeregressor", "regressiontree"),
    "tree": ("cart", "rpart", "decision-tree", "decisiontree", "leaves"),
    "fixed-effects": ("areg", "feols", "xtreg", "fe", "panelols", "within", "lfe", "reghdfe"),
    "random-intercept": ("lmer", "mixed", "mixedlm", "multilevel", "xtmixed", "lme", "random-effects", "hlm"),
    "quantile-regression": ("qreg", "rq", "quantreg", "median-regression", "least-absolute-deviations", "lad"),
    "marginal-effects": ("margins", "margeff", "dydx", "ame", "get_margeff"),
    "random-slope": ("random-slopes", "random-coefficients"),
    "two-stage": ("2sls", "ivregress", "ivreg", "iv", "tsls", "iv2sls", "instrumental"),
    "ordered-probit": ("oprobit",),
    "weibull": ("streg", "survreg", "aft"),
    "survival": ("km", "kaplan-meier", "kaplanmeier", "survfit", "sts"),
    "means": ("mean", "average", "averages", "avg", "summarize", "describe"),
    "totals": ("sum", "sums", "total"),
    "position": ("median", "medians", "quantile", "quantiles", "percentile", "percentiles", "quartiles", "iqr"),
    "shape": ("sd", "variance", "var", "std", "skewness", "kurtosis"),
    "extremes": ("max", "min", "maximum", "minimum", "range"),
    "correlation": ("corr", "cor", "pearson", "correlate", "r"),
    "chi-squared": ("chi2", "chisq", "chi-square", "chisquared"),
    "t-test": ("ttest", "t.test", "welch"),
    "f-test": ("ftest", "aov", "oneway"),
    "ratios": ("ratio", "odds-ratio", "odds_ratio", "risk-ratio", "relative-risk", "rr"),
    "gini": ("inequality", "lorenz"),
    "herfindahl": ("hhi", "concentration"),
    "mode": ("modes",),
}

_INSTEAD = {"negative-binomial": "poisson", "cox": "survival"}
"""What is nearest where a kind is not there."""


def kinds_by_other_names(known: Mapping[str, object]) -> dict[str, str]:
    """The kind that is meant by each other name, among those that there are."""
    found: dict[str, str] = {}
    for kind, names in _CALLED.items():
        meant = kind if kind in known else _INSTEAD.get(kind, "")
        if meant in known:
            found.update({name: meant for name in (kind, *names) if name not in known})
    return found
