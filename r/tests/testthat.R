library(testthat)
library(divulge)
test_check("divulge")
