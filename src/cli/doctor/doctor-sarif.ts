import { type CheckId, checkList, type DoctorReport, type Finding } from '../../doctor/index.ts';
import { identity } from './doctor-text.ts';

/** The findings as SARIF 2.1.0. A table is no file: its place is a path that code hosts can show. */
export function doctorSarif({ findings, notSeen }: DoctorReport, region: string, version: string): object {
  const used = [...new Set(findings.map(({ id }) => id))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Stator doctor', version, rules: used.map(rule) } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notSeen.map(({ what, why, remedy }) => ({
              level: 'warning',
              message: {
                text: `Not seen: ${what}, because ${why}.${remedy === undefined ? '' : ` ${remedy}`}`,
              },
            })),
          },
        ],
        results: findings.map((found) => result(found, used.indexOf(found.id), region)),
      },
    ],
  };
}

function result(found: Finding, ruleIndex: number, region: string): object {
  const { id, severity, table, index, pattern, key, symptom, cause, evidence, confirm, fix } = found;
  const name = index === undefined ? table : `${table}/${index}`;
  const command = fix.command === undefined ? '' : ` ${fix.command}`;
  return {
    ...{ ruleId: id, ruleIndex, level: severity },
    message: {
      text: `${symptom} ${cause}\n${evidence.join('\n')}\nConfirm: ${confirm}\nFix: ${fix.text}${command}`,
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: {
            uri: `dynamodb/${region}/${table.split('/').map(encodeURIComponent).join('/')}`,
          },
          region: { startLine: 1 },
        },
        logicalLocations: [{ fullyQualifiedName: name, kind: 'table' }],
      },
    ],
    // The same finding at the next look is recognised although its numbers changed.
    partialFingerprints: { 'statorDoctor/v1': identity(found) },
    properties: {
      ...(key !== undefined && { key }),
      ...(pattern !== undefined && { pattern }),
    },
  };
}

function rule(id: CheckId): object {
  const { title, about, severity, runbook } = checkList[id];
  return {
    id,
    name: id.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase()),
    shortDescription: { text: title },
    fullDescription: { text: about },
    help: { text: `docs/runbooks/${runbook}.md of the package` },
    defaultConfiguration: { level: severity },
  };
}
