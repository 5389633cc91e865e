import type { CheckReport } from './check.ts';
import { type CheckId, checkList } from './check-list.ts';
import type { Finding, Severity } from './finding.ts';

const levels: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'note' };

/** The findings as SARIF 2.1.0, which code hosts show beside the change. `uri` is the model file as they know it. */
export function sarif(
  report: CheckReport,
  uri: string,
  version: string,
  lineOf: (where: string) => number,
): object {
  const used = [...new Set(report.findings.map(({ check }) => check))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Stator', version, rules: used.map(rule) } },
        results: report.findings.map((found) => ({
          ruleId: found.check,
          ruleIndex: used.indexOf(found.check),
          level: levels[found.severity],
          message: { text: `${found.where}: ${found.message}. ${found.fix}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri },
                region: { startLine: lineOf(found.where) },
              },
              logicalLocations: [{ fullyQualifiedName: `${report.model}/${found.where}` }],
            },
          ],
          // The same finding in the next run is recognised although its numbers changed.
          partialFingerprints: { 'statorFinding/v1': `${report.model}/${found.check}/${found.where}` },
          ...(found.number === undefined ? {} : { properties: { number: found.number } }),
        })),
      },
    ],
  };
}

function rule(id: CheckId) {
  const { title, about, severity } = checkList[id];
  return {
    id,
    name: id.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: about },
    defaultConfiguration: { level: levels[severity] },
  };
}

/** JUnit XML: a test case for each check, which fails with its findings of the severity that fails the run, or worse. */
export function junit(report: CheckReport, fails: (found: Finding) => boolean): string {
  const ids = Object.keys(checkList) as CheckId[];
  const cases = ids.map((id) => {
    const own = report.findings.filter(({ check }) => check === id);
    const failures = own.filter(fails);
    const others = own.filter((found) => !fails(found)).map(line);
    const name = xmlText(`${id}: ${checkList[id].title}`);
    const inner = [
      ...failures.map(
        (found) =>
          `      <failure message="${xmlText(line(found))}" type="${found.severity}">${xmlText(found.fix)}</failure>`,
      ),
      // Without a design nothing was judged but what refused it.
      ...(own.length === 0 && report.design === undefined
        ? ['      <skipped message="The model has no design."/>']
        : []),
      ...(others.length === 0 ? [] : [`      <system-out>${xmlText(others.join('\n'))}</system-out>`]),
    ];
    const open = `    <testcase classname="${xmlText(report.model)}" name="${name}"`;
    return inner.length === 0 ? `${open}/>` : [`${open}>`, ...inner, '    </testcase>'].join('\n');
  });
  const failed = ids.filter((id) =>
    report.findings.some((found) => found.check === id && fails(found)),
  ).length;
  const skipped =
    report.design === undefined
      ? ids.filter((id) => report.findings.every(({ check }) => check !== id)).length
      : 0;
  const counts = `tests="${ids.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="stator design check" ${counts.replace(/ skipped.*/, '')}>`,
    `  <testsuite name="${xmlText(report.model)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function line({ where, message }: Finding): string {
  return `${where}: ${message}`;
}

/** Text of a model may hold anything; XML 1.0 has no place for most control characters. */
function xmlText(text: string): string {
  return [...text]
    .map((letter) => entities[letter] ?? (isXml(letter.codePointAt(0)!) ? letter : '�'))
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function isXml(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff;
}
