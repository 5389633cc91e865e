/** Keys and values come from data: nothing of them may become markup. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

export interface Page {
  /** Plain text. */
  readonly title: string;
  /** What stands inside `<main>`: markup whose data is escaped already. */
  readonly body: string;
  /** Rules besides those that all reports share. */
  readonly styles?: string;
}

/** A report as one page for browsers: no script, nothing loaded from anywhere, light and dark. */
export function htmlPage({ title, body, styles: own = '' }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${styles}${own}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const styles = `
:root{color-scheme:light dark;--paper:#fcfcfb;--rise:#f4f4f2;--line:#e2e2de;--ink:#1d1d1b;--dim:#6a6a65;--a:#2f6fde;--b:#b4610f;--good:#23824a;--bad:#c22f2f;--heat:#b86e00}
@media (prefers-color-scheme:dark){:root{--paper:#161617;--rise:#1e1e20;--line:#323236;--ink:#ececea;--dim:#9a9a96;--a:#7aa7f5;--b:#e0a05a;--good:#5fbf85;--bad:#f07575;--heat:#e2a33c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:13px/1.4 system-ui,sans-serif}
main{max-width:1480px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:28px;line-height:1.2;margin:4px 0;letter-spacing:-.01em}h2{font-size:15px;margin:36px 0 12px}h3{font-size:13px;margin:0}
p{margin:0}.dim,small,footer{color:var(--dim)}small{display:block;font-size:12px}
code{font:12px/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
.mark{font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.hot{color:var(--heat);font-weight:600}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));margin:24px 0 0;border-block:1px solid var(--line)}
.facts div{padding:12px 16px 12px 0}.facts dt{color:var(--dim)}.facts dd{margin:2px 0 0;font-size:20px;font-variant-numeric:tabular-nums}
.findings{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.findings li{display:grid;grid-template-columns:160px 130px 1fr;gap:16px;padding:8px 0 8px 12px;border-bottom:1px solid var(--line);border-left:3px solid var(--line)}
.findings li>*{min-width:0;overflow-wrap:anywhere}.findings li>span{grid-column:3}.findings em{font:12px ui-monospace,monospace;color:var(--dim);font-style:normal;white-space:nowrap}
.findings .error{border-left-color:var(--bad)}.findings .warning{border-left-color:var(--heat)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;min-width:980px}
th{font-weight:500;color:var(--dim);text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);white-space:nowrap}
td{padding:8px 12px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}td:first-child{width:20px;font-weight:700}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.n{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:12px}
.bar{min-width:130px}.bar span{display:block}.bar i{display:block;height:3px;margin:0 0 4px auto;background:var(--a);border-radius:2px;min-width:1px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(340px,100%),1fr));gap:20px;margin-bottom:20px}
figure{margin:0}figcaption{display:flex;flex-wrap:wrap;gap:0 12px;color:var(--dim);margin-bottom:4px}figcaption span{white-space:nowrap}figcaption span::before{content:'';display:inline-block;width:10px;height:2px;margin-right:5px;vertical-align:middle;background:currentColor}
svg{width:100%;height:auto;display:block}svg line{stroke:var(--line)}svg text{fill:var(--dim);font-size:11px;font-variant-numeric:tabular-nums}
svg path{fill:none;stroke-width:1.6;stroke-linejoin:round}path.line-a{stroke:var(--a)}path.line-b{stroke:var(--b)}path.line-c{stroke:var(--bad)}path.line-d{stroke:var(--good)}svg line.level{stroke:var(--dim);stroke-dasharray:4 3}span.line-a{color:var(--a)}span.line-b{color:var(--b)}span.line-c{color:var(--bad)}span.line-d{color:var(--good)}
.arms{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:20px 32px;margin-top:12px}
.keys{list-style:none;margin:8px 0 0;padding:0}.keys li{display:grid;grid-template-columns:minmax(0,1fr) 120px 48px;gap:12px;align-items:center;padding:3px 0}.keys b{text-align:right;font-variant-numeric:tabular-nums;font-weight:500}
.meter{height:8px;background:var(--rise);border-radius:4px;overflow:hidden}.meter i{display:block;height:100%;background:var(--heat)}.meter .over{background:var(--bad)}
footer{margin-top:36px;border-top:1px solid var(--line);padding-top:12px}
@media (max-width:720px){main{padding:20px 16px 32px}.findings li{grid-template-columns:1fr auto;gap:4px 12px}.findings li>span{grid-column:1/-1}.findings em{white-space:normal;overflow-wrap:anywhere}.plots,.arms{grid-template-columns:minmax(0,1fr)}}
`;
