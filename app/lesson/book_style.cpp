#include "app/lesson/book_style.h"

#include <fmt/format.h>

#include "engine/base/markup.h"

namespace warplens::lesson {
namespace {

constexpr const char* kStyle = R"css(
:root{--ink:#1c2430;--dim:#5b6776;--line:#d9dfe7;--ground:#fff;--panel:#f4f6f9;--accent:#0b6bcb;--good:#1b7f4b;--warn:#a35b00}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1.5rem 5rem;background:var(--ground);color:var(--ink);font:17px/1.6 Inter,"Noto Sans CJK SC","Microsoft YaHei",system-ui,sans-serif}
header{font-size:14px;margin-bottom:2rem;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem}
h1{font-size:2.1rem;line-height:1.2;margin:.2em 0 .6em}
h2{font-size:1.45rem;line-height:1.3;margin:2.6em 0 .6em;scroll-margin-top:1rem}
h3{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--accent);margin:0 0 .5em}
p,ul,ol,table{max-width:44rem}
.lead{font-size:1.15rem;color:var(--dim)}
a{color:var(--accent)}
code{font:0.88em/1.5 "JetBrains Mono",ui-monospace,monospace;font-variant-ligatures:none;overflow-wrap:anywhere;background:var(--panel);padding:.1em .3em;border-radius:4px}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1rem 1.2rem;overflow-x:auto;font-size:12px;line-height:1.55}
pre code{background:none;padding:0;font-size:1em;line-height:inherit;overflow-wrap:normal}
.picture{margin:.8rem 0;border:1px solid var(--line);border-radius:8px;overflow-x:auto}
img{display:block;width:100%;min-width:40rem;height:auto}
small{font-size:.8em;font-weight:400;color:var(--dim)}
.index{padding-left:1.2rem;max-width:none}
.both,.both~h2,.both~ul>li{display:flex;gap:0 1.5rem}
.both~ul{padding:0;list-style:none}
.both span,.both~h2>span,.both~ul>li>span{flex:1 1 0;min-width:0}
.index li{margin:.35em 0}
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
.term{color:inherit;text-decoration:underline dotted var(--accent);text-underline-offset:.2em}
@media(max-width:40rem){
 .both,.both~h2,.both~ul>li{display:block}
 .both span,.both~h2>span,.both~ul>li>span{display:block}
}
@media(max-width:30rem){
 body{padding:1.2rem 1rem 3rem;font-size:16px}
 h1{font-size:1.7rem}
 section{padding:1rem}
}
@media screen and (prefers-color-scheme:dark){
 :root{--ink:#e6eaf0;--dim:#9aa5b5;--line:#2a3340;--ground:#0e1116;--panel:#151a22;--accent:#5bb8ff;--good:#4cc38a;--warn:#f2a65a}
 .picture{background:#fff}
}
@media print{
 details::details-content{display:block;content-visibility:visible;height:auto}
 body{font-size:10.5pt;max-width:none;padding:0}
 header{display:none}
 h1{font-size:20pt}
 h2{font-size:14pt;margin-top:1.6em}
 h2,h3,.state:not(:last-child),summary,.options>li>p,section.ask>h3+div:not(:has(+details)),p:has(+ul){break-after:avoid}
 .picture{max-width:11.5cm;overflow:visible;break-inside:avoid}
 img{min-width:0}
 pre{orphans:4;widows:4;font-size:7.5pt;white-space:pre-wrap;overflow-wrap:anywhere}
 .opening{break-inside:avoid}
 .opening:has(+section.ask){break-after:avoid}
 .remember{break-inside:avoid}
 td,th{padding:.15em .8em .15em 0}
 .sources{font-size:8.5pt;line-height:1.35;break-inside:avoid}
 .sources ul{margin:.3em 0}
 .whole pre{display:none}
 section.ask{display:flow-root}
 section.ask details>.shown,section.ask details>.picture{float:right;clear:right;width:11.5cm;margin:.1cm 0 .3cm .6cm}
 section.ask details .shown .picture{margin:.3rem 0 0}
 section.ask details .state{margin-top:0}
 section.try,.wrong,.right,.options>li{break-inside:avoid}
 .asked{display:flex;gap:.6cm;align-items:flex-start;break-inside:avoid}
 .asked>div:first-child{flex:1}
 .asked>.picture{flex:0 0 11.5cm;margin:0}
 article[id]{break-inside:avoid;margin-bottom:.25cm}
 article[id]:has(>details){display:grid;grid-template-columns:1fr 10.8cm;grid-template-rows:repeat(6,auto) 1fr;column-gap:.6cm}
 article[id]>*{grid-column:1}
 article[id]>details{grid-area:1/2/span 7/3;margin:0}
 article[id] summary{display:none}
 article[id] h2{margin-top:0}
 article[id] .state{margin:0;line-height:1.2}
 article[id] .picture{margin:.1cm 0 0}
 article[id] p{margin:.3em 0}
 section{background:none;border:1px solid var(--line);padding:.5rem 1rem;margin:.8rem 0}
 p,ul,ol,table{max-width:none;orphans:3;widows:3}
 a,.term{color:inherit;text-decoration:none}
 @page{margin:16mm}
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
                      const std::vector<BookLink>& links) {
  std::string above;
  for (const BookLink& link : links)
    above += fmt::format("<a href=\"{}\">{}</a>\n", link.file, escaped_markup(link.title));
  if (!above.empty()) above = "<header>" + above + "</header>\n";
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title>\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<style>{}</style></head><body>\n{}{}"
      "<script>{}</script></body></html>\n",
      language == "zh" ? "zh-Hans" : "en", escaped_markup(title), kStyle, above, body, kPrint);
}

}  // namespace warplens::lesson
