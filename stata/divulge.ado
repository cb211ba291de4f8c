*! divulge 0.1.0: whether an output may be released
*! Runs a command as it is, takes its results, and asks the program divulge about them. See help divulge.
program define divulge, eclass
    local caller = string(_caller())
    version 14.0
    _on_colon_parse `0'
    local command `"`s(after)'"'
    local 0 `"`s(before)'"'
    syntax [, TARget(string) KEYs(string) DECimals(integer 4) SPLits(integer 30) SEConds(string) POLicy(string) ///
        SAVing(string) PATH(string) REPort SEED(integer 1) NORUN]
    if `"`command'"' == "" {
        display as error "divulge: a command is needed after the colon, as in divulge: regress income age"
        exit 198
    }

    if `"`target'"' != "" unab target : `target'
    if `"`keys'"' != "" unab keys : `keys'
    * A file is named from where Stata stands; a preset is no file.
    capture confirm file `"`policy'"'
    if `"`policy'"' != "" & !_rc & !regexm(`"`policy'"', "^([A-Za-z]:)?[/\\]") {
        local policy `"`c(pwd)'/`policy'"'
    }

    * The command itself, natively, as the version of whoever calls has it. Whatever it refuses, it refuses. Results of an
    * earlier command are marked: a command that estimates nothing leaves them where they are.
    if "`e(cmd)'" != "" ereturn local divulge_before "yes"
    capture noisily version `caller': `command'
    local failed = _rc
    local is_before = "`e(divulge_before)'" == "yes"
    if `is_before' ereturn local divulge_before ""
    if `failed' exit `failed'
    tokenize `"`command'"', parse(" ,")
    local first `1'
    * Effects are in r(), and the model that they are of is still in e().
    local effects
    if "`first'" == "margins" {
        if `"`r(derivatives)'"' != "dy/dx" | `"`r(title)'"' != "Average marginal effects" {
            display as error "divulge: of margins, average marginal effects are read, as in margins, dydx(*)"
            exit 198
        }
        tempname mb mV
        matrix `mb' = r(b)
        matrix `mV' = r(V)
        local effects effects(`mb' `mV')
    }

    * Where the files go: a folder of this session, or the one that was named.
    if `"`saving'"' == "" {
        tempfile stem
        local saving `"`stem'_divulge"'
    }
    capture mkdir `"`saving'"'
    * What an earlier run left there is no answer to this one.
    foreach name in results.txt data.csv asked.txt said.txt verdict.txt {
        capture erase `"`saving'/`name'"'
    }
    if inlist("`first'", "ta", "tab", "tabu", "tabul", "tabula", "tabulat", "tabulate") {
        _divulge_tabulate `"`saving'"' `command'
    }
    else {
        if `is_before' & "`first'" != "margins" {
            display as error "divulge: the command left no results of an estimation"
            exit 301
        }
        _divulge_estimates, folder(`"`saving'"') decimals(`decimals') `effects'
    }

    * What to ask, one word a line.
    tempname f
    file open `f' using `"`saving'/asked.txt"', write text replace
    if `"`target'"' != "" file write `f' "target" _tab `"`target'"' _n
    foreach key of local keys {
        file write `f' "key" _tab `"`key'"' _n
    }
    file write `f' "splits" _tab "`splits'" _n
    if "`seconds'" != "" file write `f' "seconds" _tab "`seconds'" _n
    if `"`policy'"' != "" file write `f' "policy" _tab `"`policy'"' _n
    file write `f' "seed" _tab "`seed'" _n
    file close `f'
    if "`norun'" != "" {
        display as text `"Files are in `saving'. Run: divulge stata "`saving'""'
        exit
    }

    * The program: as said, as the global says, else as the system finds it.
    if `"`path'"' == "" local path `"$DIVULGE"'
    if `"`path'"' == "" local path "divulge"
    * Windows takes a first quotation mark away where there are others.
    if strpos(`"`path'"', " ") local path `""`path'""'
    shell `path' stata "`saving'" > "`saving'/said.txt" 2>&1
    capture confirm file `"`saving'/verdict.txt"'
    if _rc {
        display as error "divulge gave no verdict. It said:"
        capture noisily type `"`saving'/said.txt"'
        display as error `"Where is the program? Say: global DIVULGE "/where/it/is/divulge""'
        exit 601
    }
    type `"`saving'/verdict.txt"'
    if "`report'" != "" view browse `"`saving'/report.html"'
end

* Results of estimation: what was fitted, and every coefficient with its standard error.
program define _divulge_estimates
    version 14.0
    syntax, folder(string) decimals(integer) [effects(string)]
    if "`e(cmd)'" == "" {
        display as error "divulge: the command left no results of an estimation"
        exit 301
    }
    tempname f b V
    matrix `b' = e(b)
    matrix `V' = e(V)
    file open `f' using `"`folder'/results.txt"', write text replace
    foreach name in cmd cmdline depvar vce clustvar wtype wexp varfunct linkf link ties strata title absvar ivar ivars model ///
        insts small estimator method q denmethod bwmethod offset baseout {
        if `"`e(`name')'"' != "" file write `f' "e" _tab "`name'" _tab `"`e(`name')'"' _n
    }
    file write `f' "e" _tab "N" _tab (string(e(N), "%21.0f")) _n
    file write `f' "decimals" _tab "`decimals'" _n
    local names : colfullnames `b'
    local j = 0
    foreach name of local names {
        local ++j
        local value = `b'[1, `j']
        local error = sqrt(`V'[`j', `j'])
        file write `f' "b" _tab `"`name'"' _tab (string(`value', "%24.16e")) _tab (string(`error', "%24.16e")) _n
    }
    * Equations of mlogit are called by the labels of values, and the data hold the values.
    if "`e(cmd)'" == "mlogit" {
        tempname classes
        matrix `classes' = e(out)
        local j = 0
        foreach name in `e(eqnames)' {
            local ++j
            file write `f' "class" _tab `"`name'"' _tab (string(`classes'[1, `j'])) _n
        }
    }
    if "`effects'" != "" {
        gettoken mb mV : effects
        local names : colfullnames `mb'
        local j = 0
        foreach name of local names {
            local ++j
            local value = `mb'[1, `j']
            local error = sqrt(`mV'[`j', `j'])
            file write `f' "m" _tab `"`name'"' _tab (string(`value', "%24.16e")) _tab (string(`error', "%24.16e")) _n
        }
    }
    * Survival times: by the variables that stset was given where these say the same; rows that enter late say so.
    local made
    if "`e(cmd)'" == "cox" | "`e(cmd2)'" == "stcox" {
        quietly summarize _t0 if e(sample)
        local late = r(max) > 0
        if `late' file write `f' "e" _tab "entry" _tab "_t0" _n
        local time : char _dta[st_bt]
        local failure : char _dta[st_bd]
        local failed : char _dta[st_ev]
        if "`failed'" == "" local failed 1
        capture assert _t == `time' & _d == (`failure' == `failed') if e(sample)
        if !_rc & !`late' & "`time'" != "" & "`failure'" != "" {
            file write `f' "e" _tab "time" _tab "`time'" _n
            file write `f' "e" _tab "failure" _tab "`failure'" _n
            file write `f' "e" _tab "failed" _tab "`failed'" _n
            local made _st _d _t _t0
        }
    }
    file close `f'
    preserve
    quietly keep if e(sample)
    foreach name of local made {
        capture drop `name'
    }
    quietly export delimited using `"`folder'/data.csv"', nolabel replace
    restore
end

* A table of counts: which variables, and among whom.
program define _divulge_tabulate
    version 14.0
    gettoken folder 0 : 0
    syntax anything [if] [in] [, Missing SUmmarize(string) *]
    if `"`summarize'"' != "" {
        display as error "divulge: of tabulate, counts are read, not the means of summarize()"
        exit 198
    }
    gettoken word variables : anything
    unab variables : `variables'
    tempname f
    marksample used, novarlist
    if "`missing'" == "" markout `used' `variables', strok
    file open `f' using `"`folder'/results.txt"', write text replace
    file write `f' "e" _tab "cmd" _tab "tabulate" _n
    if "`missing'" != "" file write `f' "e" _tab "missing" _tab "include" _n
    foreach name of local variables {
        file write `f' "variable" _tab "`name'" _n
    }
    file close `f'
    preserve
    quietly keep if `used'
    quietly export delimited using `"`folder'/data.csv"', nolabel replace
    restore
end
