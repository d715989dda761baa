export interface ExampleCall {
  method: string;
  /** The complete URL, with example values for its parameters. */
  url: string;
  json?: unknown;
  /** The body is a file. */
  hasFile: boolean;
  needsKey: boolean;
}

export function examplesOf(call: ExampleCall): { language: string; code: string }[] {
  return [
    { language: 'curl', code: curl(call, `-H "Authorization: Bearer $WAYBILL_API_KEY"`) },
    ...(call.needsKey ? [{ language: 'curl, Basic', code: curl(call, '-u "$WAYBILL_API_KEY:"') }] : []),
    { language: 'Node', code: node(call) },
    { language: 'Python', code: python(call) },
    { language: 'PowerShell', code: powershell(call) },
  ];
}

function curl({ method, url, json, hasFile, needsKey }: ExampleCall, key: string): string {
  const parts = [`curl --fail-with-body -X ${method} '${url}'`];
  if (needsKey) parts.push(key);
  if (json !== undefined)
    parts.push(`-H 'Content-Type: application/json'`, `-d '${pretty(json).replaceAll("'", `'\\''`)}'`);
  if (hasFile) parts.push(`-H 'Content-Type: application/octet-stream'`, '--data-binary @report.pdf');
  return parts.join(' \\\n  ');
}

function node({ method, url, json, hasFile, needsKey }: ExampleCall): string {
  const headers = [
    ...(needsKey ? ["Authorization: 'Bearer ' + process.env.WAYBILL_API_KEY"] : []),
    ...(json === undefined ? [] : [`'Content-Type': 'application/json'`]),
    ...(hasFile ? [`'Content-Type': 'application/octet-stream'`] : []),
  ];
  const options = [
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${indent(pretty(json), 2)}),`]),
    ...(hasFile ? [`  body: await openAsBlob('report.pdf'),`] : []),
  ];
  const before = hasFile ? `import { openAsBlob } from 'node:fs';\n` : '';
  return `${before}const response = await fetch('${url}', {\n${options.join('\n')}\n});\nif (!response.ok) throw new Error(await response.text());\nconsole.log(await response.text());`;
}

function python({ method, url, json, hasFile, needsKey }: ExampleCall): string {
  const lines = ['import json, os, urllib.request', ''];
  if (json !== undefined) lines.push(`body = json.dumps(${pythonValue(json)}).encode()`);
  if (hasFile) lines.push(`body = open('report.pdf', 'rb')`);
  const hasBody = json !== undefined || hasFile;
  lines.push(`request = urllib.request.Request('${url}', ${hasBody ? 'body, ' : ''}method='${method}')`);
  if (needsKey) lines.push(`request.add_header('Authorization', 'Bearer ' + os.environ['WAYBILL_API_KEY'])`);
  if (json !== undefined) lines.push(`request.add_header('Content-Type', 'application/json')`);
  if (hasFile)
    lines.push(
      `request.add_header('Content-Type', 'application/octet-stream')`,
      `request.add_header('Content-Length', str(os.path.getsize('report.pdf')))`,
    );
  lines.push('with urllib.request.urlopen(request) as response:', '    print(response.read().decode())');
  return lines.join('\n');
}

function powershell({ method, url, json, hasFile, needsKey }: ExampleCall): string {
  const lines: string[] = [];
  if (needsKey) lines.push('$headers = @{ Authorization = "Bearer $env:WAYBILL_API_KEY" }');
  if (json !== undefined) lines.push(`$body = @'\n${pretty(json)}\n'@`);
  const parts = [
    `Invoke-RestMethod -Method ${method} -Uri '${url}'`,
    ...(needsKey ? ['-Headers $headers'] : []),
    ...(json === undefined ? [] : [`-ContentType 'application/json; charset=utf-8' -Body $body`]),
    ...(hasFile ? [`-ContentType 'application/octet-stream' -InFile report.pdf`] : []),
  ];
  return [...lines, parts.join(' ')].join('\n');
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function indent(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

function pythonValue(value: unknown): string {
  return pretty(value)
    .replace(/\btrue\b/g, 'True')
    .replace(/\bfalse\b/g, 'False')
    .replace(/\bnull\b/g, 'None');
}
