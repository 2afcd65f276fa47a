extension ReportPage {
  /// The page's styles: light and dark, narrow and wide, screen and paper; no font is fetched.
  static let style: StaticString = """
    :root{color-scheme:light dark;--bg:#fff;--soft:#f4f6f9;--ink:#16181d;--dim:#59606d;--line:#dde1e8;
    --link:#1d57ad;--warn:#8a4b00;--warn-bg:#fff6e5;--warn-line:#eccb8d;--band:#c5d6f0;
    --c0:#2563b8;--c1:#c2510c;--c2:#0b7a5b;--c3:#8a3ea8;--c4:#8f6400;--c5:#b3215c}
    @media screen and (prefers-color-scheme:dark){:root{--bg:#13151a;--soft:#1c1f26;--ink:#e8eaef;
    --dim:#a3abb9;--line:#343a46;--link:#8db8ff;--warn:#f2c67c;--warn-bg:#2a2216;--warn-line:#5d4a24;
    --band:#2c4468;--c0:#74a9ff;--c1:#ff9a57;--c2:#4fd1a1;--c3:#d59bf0;--c4:#e5c04f;--c5:#ff7fab}}
    *{box-sizing:border-box}
    html{scroll-padding-top:3.5rem;-webkit-text-size-adjust:100%}
    body{margin:0;background:var(--bg);color:var(--ink);line-height:1.5;
    font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
    font-size:16px;font-variant-numeric:tabular-nums}
    header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
    header{padding-top:2.25rem;padding-bottom:1rem}
    bdi{overflow-wrap:anywhere}
    .kicker{margin:0;color:var(--dim);font-size:.85rem;letter-spacing:.04em}
    h1{margin:.1rem 0 .9rem;font-size:clamp(1.5rem,4.2vw,2.3rem);line-height:1.15;letter-spacing:-.015em}
    h2{margin:0 0 .5rem;font-size:1.35rem;letter-spacing:-.01em}
    h3{margin:1.5rem 0 .5rem;font-size:1rem}
    .lead{max-width:56rem;margin:.9rem 0;font-size:1.06rem}
    .runs{list-style:none;margin:0;padding:0;color:var(--dim);font-size:.92rem;max-width:62rem}
    section{padding:2rem 0 .75rem;border-top:1px solid var(--line)}
    main>section:first-child{border-top:0}
    .about,.note{max-width:58rem;margin:.25rem 0 .9rem;color:var(--dim)}
    .note,.notes{font-size:.9rem}
    .notes{color:var(--dim);padding-left:1.1rem;max-width:62rem}
    a{color:var(--link)}
    code,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
    .skip{position:absolute;left:-99rem}
    .skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem;z-index:9}
    .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    small{display:block;color:var(--dim);font-size:.78rem;line-height:1.3}
    .unit{color:var(--dim);font-size:.84rem}

    .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.3rem 0}
    .figures div{background:var(--soft);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .85rem}
    .figures dt{color:var(--dim);font-size:.85rem}
    .figures dd{margin:0}
    .figures b{font-size:1.7rem;line-height:1.25;letter-spacing:-.02em}
    .figures span{color:var(--dim)}
    .warnings{background:var(--warn-bg);border:1px solid var(--warn-line);border-radius:.6rem;
    padding:.6rem .9rem;font-size:.92rem}
    .warnings summary{color:var(--warn);font-weight:600;cursor:pointer}
    .warnings ul{margin:.4rem 0 .1rem;padding-left:1.1rem}

    nav{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line);
    display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;white-space:nowrap;scrollbar-width:thin;
    padding:.55rem max(1.25rem,calc((100vw - 76rem)/2 + 1.25rem))}
    nav a{color:var(--ink);text-decoration:none;font-size:.9rem}
    nav a:hover{text-decoration:underline}

    #verdicts figure{margin-top:.9rem}
    .scroll{position:relative;overflow-x:auto;margin:.3rem 0 1.2rem;border:1px solid var(--line);border-radius:.5rem}
    table{border-collapse:collapse;width:100%;font-size:.88rem}
    caption{caption-side:top;text-align:left;color:var(--dim);font-size:.85rem;padding:.5rem .7rem}
    th,td{padding:.42rem .7rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
    td bdi,th[scope=row] bdi{unicode-bidi:isolate}
    thead th{font-weight:600;white-space:nowrap;vertical-align:bottom;background:var(--soft)}
    .scroll bdi{overflow-wrap:break-word}#machines .scroll bdi{overflow-wrap:anywhere}
    td:not(.number){min-width:6rem}#verdicts td:last-child{min-width:13rem}
    .number{text-align:right;white-space:nowrap}
    .number small{font-size:.74rem}
    th[scope=row]{font-weight:600;min-width:8rem;max-width:16rem;position:sticky;left:0;background:var(--bg)}
    thead th:first-child{position:sticky;left:0}
    .band{font-style:normal;font-size:.6rem;letter-spacing:.1em;color:var(--dim)}
    .band.steady{color:var(--c2)}.band.noisy,.band.poor{color:var(--c1)}
    .sorted button::after{content:" ↓"}.sorted.up button::after{content:" ↑"}
    th button{all:unset;cursor:pointer}
    th button:focus-visible{outline:2px solid var(--link);outline-offset:2px}

    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,29rem),1fr));gap:1.1rem 2.2rem;align-items:start}
    figure{margin:0 0 .8rem;min-width:0}
    figcaption{margin-bottom:.35rem;line-height:1.35}
    .row{display:grid;grid-template-columns:9.5rem minmax(0,1fr) 7rem;gap:0 .8rem;align-items:center;
    break-inside:avoid}
    .row-label{font-size:.86rem;line-height:1.25;min-width:0}
    .row-value{text-align:right;font-size:.86rem;line-height:1.2;white-space:nowrap}
    .row-value span{font-weight:600}
    svg{display:block;overflow:visible;width:100%}
    svg.key{display:inline-block;width:auto;vertical-align:-1px;margin-right:.35rem}
    svg text{fill:var(--dim);font-size:11.5px}
    .scatter .y{paint-order:stroke;stroke:var(--bg);stroke-width:3px}
    .plot path,.key path{vector-effect:non-scaling-stroke;fill:none}
    .grid{stroke:var(--line);stroke-width:1}
    .interval{stroke:var(--band);stroke-width:11}
    .median{stroke:var(--ink);stroke-width:2}
    .reference{stroke:var(--dim);stroke-width:1;stroke-dasharray:3 2}
    .link{stroke:var(--dim);stroke-width:1.5;stroke-dasharray:2 3}
    .mark{stroke-width:2.2;opacity:.85}
    .mark.disc{stroke-linecap:round;stroke-width:6.5}
    .mark.square{stroke-linecap:square;stroke-width:5}
    .scatter .mark{opacity:.5}.scatter .dense{opacity:.22}
    .trend{stroke-width:1.8}
    .d1{stroke-dasharray:6 4}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:9 3 2 3}
    .d4{stroke-dasharray:12 5}.d5{stroke-dasharray:4 2}
    .s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}
    .s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}
    .plot path.f0{fill:var(--c0)}
    .bar~.interval{stroke:var(--ink);stroke-width:2;opacity:.75}
    .plot path.prefill,.key path.prefill{fill:var(--c1)}
    .plot path.decode,.key path.decode{fill:var(--c0)}
    .plot path.queue,.key path.queue{fill:var(--dim)}
    .plot path.finish,.key path.finish{fill:var(--c3)}
    .tool{stroke:var(--c2);stroke-width:1.5}
    .thread{stroke:var(--dim);stroke-width:1}
    .hit{fill:transparent}
    .hit:hover{fill:var(--ink);fill-opacity:.12}
    .legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.3rem 0 .5rem;padding:0;
    font-size:.85rem;color:var(--dim)}
    .lanes{margin-top:.9rem}
    details>summary{cursor:pointer}
    section details>summary{color:var(--link);margin-bottom:.5rem}
    .script-only{display:none}.scripted .script-only{display:block}
    input{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:.35rem;
    padding:.25rem .5rem}
    .command{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem;
    margin:.4rem 0;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
    .definitions{display:grid;grid-template-columns:minmax(9rem,max-content) 1fr;gap:.1rem 1.4rem;font-size:.92rem}
    .definitions dt{padding-top:.5rem}
    .definitions dd{margin:0;padding:.5rem 0 .3rem;max-width:52rem}
    .formula{display:block;color:var(--dim)}
    footer{color:var(--dim);font-size:.85rem;border-top:1px solid var(--line);padding-top:.6rem;padding-bottom:2rem}
    .tip{position:absolute;pointer-events:none;background:var(--ink);color:var(--bg);font-size:.8rem;
    padding:.2rem .45rem;border-radius:.3rem;z-index:8;white-space:nowrap}
    @media (max-width:40rem){
    header,main,footer{padding-left:1rem;padding-right:1rem}nav{padding-left:1rem;padding-right:1rem;flex-wrap:nowrap;overflow-x:auto}
    header{padding-top:1.25rem}
    .figures{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}.figures b{font-size:1.45rem}
    .row{grid-template-columns:minmax(0,1fr) auto;padding:.3rem 0}
    .row .plot{grid-row:2;grid-column:1/-1}
    .row.ticks{grid-template-columns:1fr}.row.ticks div{display:none}
    .row-label bdi,.row-label small{display:inline}.row-label small{margin-left:.4rem}
    .row-value small{display:inline;margin-left:.4rem}
    th[scope=row]{min-width:6.5rem;max-width:9rem}
    .definitions{grid-template-columns:1fr}.definitions dd{padding-top:0}
    }
    @media print{
    body{font-size:10.5pt}header,main,footer{max-width:none;padding:0}
    nav,.skip,.filter,.tip{display:none}
    section{padding:1rem 0 .3rem}figure,.figures div{break-inside:avoid}h2,h3,figcaption,
    caption,thead,.about{break-after:avoid}tr{break-inside:avoid}
    .scroll{overflow:visible;border:0}table{font-size:8pt}th,td{padding:.2rem .35rem}
    thead th:first-child,th[scope=row]{position:static}
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    a{color:inherit;text-decoration:none}
    }
    """
}
