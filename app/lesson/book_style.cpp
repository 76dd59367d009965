#include "app/lesson/book_style.h"

#include <fmt/format.h>

#include "engine/base/markup.h"

namespace warplens::lesson {
namespace {

constexpr const char* kStyle = R"css(
:root{--ink:#1c2430;--dim:#5b6776;--line:#d9dfe7;--ground:#fff;--panel:#f4f6f9;--accent:#0b6bcb;--good:#1b7f4b;--warn:#a35b00}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1.5rem 5rem;background:var(--ground);color:var(--ink);font:17px/1.6 Inter,"Noto Sans CJK SC","Microsoft YaHei",system-ui,sans-serif}
header{font-size:14px;margin-bottom:2rem}
h1{font-size:2.1rem;line-height:1.2;margin:.2em 0 .6em}
h2{font-size:1.45rem;line-height:1.3;margin:2.6em 0 .6em}
h3{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--accent);margin:0 0 .5em}
p,ul,ol,table{max-width:44rem}
.lead{font-size:1.15rem;color:var(--dim)}
a{color:var(--accent)}
code{font:0.88em/1.5 "JetBrains Mono",ui-monospace,monospace;font-variant-ligatures:none;overflow-wrap:anywhere;background:var(--panel);padding:.1em .3em;border-radius:4px}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1rem 1.2rem;overflow:auto}
pre{white-space:pre-wrap}
pre code{background:none;padding:0;font-size:.78em}
img{display:block;width:100%;height:auto;margin:.8rem 0;border:1px solid var(--line);border-radius:8px}
.state{font-size:.85rem;color:var(--dim);margin:1.4em 0 0}
section{background:var(--panel);border-radius:10px;padding:1.2rem 1.4rem;margin:1.4rem 0}
section.ask{border-left:4px solid var(--accent)}
section.try{border-left:4px solid var(--good)}
.right{border-left:3px solid var(--good);padding-left:1rem}
.wrong{border-left:3px solid var(--warn);padding-left:1rem;color:var(--dim);margin:.8rem 0}
.wrong p{margin:.2em 0}
.guess{font-weight:600;color:var(--warn)}
.options{padding-left:1.2rem}
.options p{margin:.3em 0}
.options details{margin:.2em 0 .6em}
.options summary{font-weight:400;font-size:.9em}
.number{font-size:1.5rem;font-weight:650;margin:.2em 0;white-space:nowrap;padding-right:1.2rem}
details{margin:.8rem 0}
summary{cursor:pointer;font-weight:600;color:var(--accent)}
.remember{font-size:1.1rem;border-left:4px solid var(--good);padding-left:1.2rem}
.remember ul{padding-left:1.2rem}
table{border-collapse:collapse;margin:1em 0}
td,th{border-bottom:1px solid var(--line);padding:.4em .8em .4em 0;text-align:left;vertical-align:top}
td p{margin:0}
td.number,td.number+td{vertical-align:middle}
a{overflow-wrap:anywhere}
@media print{
 body{font-size:11pt;max-width:none;padding:0}
 header{display:none}
 h2,h3,.state,summary{break-after:avoid}
 img{max-width:14cm}
 pre{font-size:9pt}
 img,pre,section.try,.options>li{break-inside:avoid}
 section{background:none;border:1px solid var(--line)}
 p,ul,ol,table{max-width:none}
 article{break-inside:auto}
 a{color:inherit;text-decoration:none}
 @page{margin:18mm 16mm}
}
)css";

// On paper nothing can be opened: everything is, and closed again behind it.
constexpr const char* kPrint = R"js(
let closed=[];
addEventListener("beforeprint",()=>{closed=[...document.querySelectorAll("details:not([open])")];closed.forEach(d=>d.open=true)});
addEventListener("afterprint",()=>{closed.forEach(d=>d.open=false)});
)js";

}  // namespace

std::string book_page(const std::string& title, const std::string& language, const std::string& body,
                      const std::string& home) {
  const std::string link =
      home.empty() ? ""
                   : fmt::format("<header><a href=\"index.html\">‹ {}</a></header>\n", escaped_markup(home));
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<style>{}</style></head><body>\n{}{}"
      "<script>{}</script></body></html>\n",
      language == "zh" ? "zh-Hans" : "en", escaped_markup(title), kStyle, link, body, kPrint);
}

}  // namespace warplens::lesson
