{smcl}
{* *! version 0.1.0}{...}
{title:Title}

{p2colset 5 16 18 2}{...}
{p2col:{cmd:divulge} {hline 2}}Whether an output may be released{p_end}

{title:Syntax}

{p 8 16 2}
{cmd:divulge} [{cmd:,} {it:options}] {cmd::} {it:command}

{synoptset 22}{...}
{synopthdr}
{synoptline}
{synopt:{opt tar:get(varname)}}what an intruder would want to know{p_end}
{synopt:{opt key:s(varlist)}}what an intruder knows of a person{p_end}
{synopt:{opt dec:imals(#)}}how many decimals you will print; default 4{p_end}
{synopt:{opt spl:its(#)}}random halves of the data; default 30{p_end}
{synopt:{opt sec:onds(#)}}the longest that one search may take; by default a minute for all{p_end}
{synopt:{opt pol:icy(file)}}thresholds of the verdict: a YAML file{p_end}
{synopt:{opt sav:ing(folder)}}where data, results and report are kept{p_end}
{synopt:{opt path(file)}}where the program divulge is; or {cmd:global DIVULGE}. On Windows a path without blanks{p_end}
{synopt:{opt rep:ort}}open the report{p_end}
{synopt:{opt seed(#)}}where the random numbers start; default 1{p_end}
{synopt:{opt norun}}only write the files{p_end}
{synoptline}

{title:Description}

{pstd}
{cmd:divulge} runs {it:command} as it is, takes what it left in {cmd:e()}, writes the estimation sample and the results to
a folder, and runs the program {cmd:divulge} on this machine. Nothing is sent anywhere, and Stata needs no Python.

{pstd}
It reads {cmd:regress}, {cmd:logit}, {cmd:logistic}, {cmd:probit}, {cmd:cloglog}, {cmd:poisson}, {cmd:nbreg},
{cmd:ologit}, {cmd:oprobit}, {cmd:mlogit}, {cmd:areg}, {cmd:xtreg, fe}, {cmd:ivregress 2sls}, {cmd:mixed} with one random
intercept, {cmd:qreg}, {cmd:glm} (Gaussian, binomial, Poisson, gamma and inverse Gaussian),
{cmd:stcox}, {cmd:margins, dydx()} after {cmd:logit}, {cmd:probit} or {cmd:poisson}, and {cmd:tabulate} of one or two variables; factor variables, interactions, {cmd:pweight}s and
{cmd:aweight}s, {cmd:vce(robust)}, {cmd:vce(hc2)}, {cmd:vce(hc3)} and {cmd:vce(cluster)}.

{title:Examples}

{phang}{cmd:. sysuse nlsw88}{p_end}
{phang}{cmd:. divulge: regress wage age i.race, vce(robust)}{p_end}
{phang}{cmd:. divulge, target(union) keys(age race): logit union age i.race}{p_end}
{phang}{cmd:. divulge: tabulate race union}{p_end}
