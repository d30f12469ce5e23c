/// How the picture looks, in CSS; a dark one for those who prefer dark.
///
/// The picture brings its own ground, so that it can be read on any page.
enum PictureStyle {
    static let labelSize = 14
    static let titleSize = 17

    static let css = """
        svg{--paper:#eef1f5;--floor:#fff;--wall:#cbd2db;--ink:#2c3440;--soft:#6b7684;--tint:#e6efff;--line:#2f6fed;\
        --mark:#aab4c0}\
        @media(prefers-color-scheme:dark){svg{--paper:#15181d;--floor:#20252d;--wall:#3a434f;--ink:#e6eaf0;\
        --soft:#98a3b1;--tint:#22304a;--line:#6ea2ff;--mark:#5b6675}}\
        text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--ink)}\
        .t{font-size:17px;font-weight:600}.s{font-size:13px;fill:var(--soft)}\
        .n{paint-order:stroke;stroke:var(--floor);stroke-width:4px;stroke-linejoin:round}\
        .m{text-anchor:middle}.e{text-anchor:end}.b{font-weight:600}\
        .w{fill:var(--floor);stroke:var(--wall);stroke-width:1.5}.h{fill:var(--tint);stroke:var(--line)}\
        .i{fill:var(--floor);stroke:var(--soft);stroke-opacity:.55}\
        .q{fill:var(--mark);stroke:var(--floor)}\
        .l{stroke:var(--line);stroke-width:2.5;fill:none;stroke-linecap:round}.d{stroke-dasharray:1 6}\
        .a{fill:var(--line);fill-opacity:.13;stroke:var(--line);stroke-opacity:.45}\
        .p{fill:var(--line);stroke:#fff;stroke-width:3}.o .a{fill:var(--soft);stroke:var(--soft)}.o .p{fill:var(--soft)}.o .f{opacity:.4}\
        .k{stroke:var(--soft);stroke-width:2;fill:none;stroke-linecap:round}.c{fill:var(--soft)}
        """
}
