"""Files of microdata, read and written: CSV, Parquet, SPSS, Stata, SAS, data frames."""
