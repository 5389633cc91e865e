import { grouped, tableOf } from '../report.ts';
import type { HttpReport, HttpResult } from './http-suite.ts';

/** The report as Markdown, ready to be put on a page. */
export function renderHttpReport({ results, starts, inProcess, hash, notes }: HttpReport): string {
  return [
    ...tableOf(
      [
        'server',
        'keeps data',
        'operation',
        'ops/s',
        'rounds',
        'p50, ms',
        'p99, ms',
        'server CPU, µs/op',
        'load CPU',
        'to best peer',
        'to bare',
      ],
      results.map(rowOf),
    ),
    '',
    `Every server answered all items alike: ${hash}`,
    '',
    ...tableOf(
      ['server', 'version', 'command to first answer, ms', 'idle, MB', 'with the items, MB'],
      starts.map(({ name, version, startMs, idleMegabytes, loadedMegabytes }) => [
        name,
        version,
        startMs.toFixed(0),
        idleMegabytes?.toFixed(0) ?? '',
        loadedMegabytes?.toFixed(0) ?? '',
      ]),
    ),
    '',
    ...tableOf(
      ['in process', 'operation', 'ops/s'],
      inProcess.map(({ door, operation, operationsPerSecond }) => [
        door,
        operation,
        grouped(operationsPerSecond),
      ]),
    ),
    ...notes.map((note) => `\n${note}`),
  ].join('\n');
}

function rowOf(result: HttpResult): string[] {
  return [
    result.name,
    result.keeps,
    result.operation,
    grouped(result.operationsPerSecond),
    `${grouped(result.spread[0])}–${grouped(result.spread[1])}`,
    result.p50.toFixed(2),
    result.p99.toFixed(2),
    result.serverCpuMicros?.toFixed(0) ?? '',
    `${(result.loadCpu * 100).toFixed(0)} %`,
    result.toBestPeer?.toFixed(2) ?? '',
    result.toBare?.toFixed(2) ?? '',
  ];
}
