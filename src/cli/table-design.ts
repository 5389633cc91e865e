import { emitTables } from '../design/index.ts';
import { askTable } from './ask-table.ts';
import type { Run } from './command.ts';
import { UsageError } from './failure.ts';
import type { Setting } from './settings.ts';
import { type TableAnswers, tableOf } from './table-answers.ts';
import type { tableDesignOptions } from './tool-flags.ts';
import { writeWholeFiles } from './write-output.ts';

/** Scaffolds a table: asks on a terminal, takes flags and defaults elsewhere. */
export const tableDesign: Run<typeof tableDesignOptions> = async (settings, { output }) => {
  const { nonInteractive, out, output: format } = settings;
  const answers =
    nonInteractive.value || !process.stdin.isTTY
      ? byFlags(settings)
      : await askTable(given(settings), defaults(settings));
  const text = emitTables(format.value, answers.table, [tableOf(answers)]);
  if (out.value === undefined) {
    output.print(text.trimEnd());
    return;
  }
  writeWholeFiles(new Map([[out.value, text]]), 'shared');
  output.log('info', `Wrote ${out.value}.`);
};

type TableSettings = Parameters<typeof tableDesign>[0];

function byFlags(settings: TableSettings): TableAnswers {
  if (settings.table.value === undefined)
    throw new UsageError('table-design needs the name of the table.', 'Write --table <name>.');
  return { table: settings.table.value, ...defaults(settings) };
}

function defaults(settings: TableSettings): Omit<TableAnswers, 'table'> {
  const {
    partitionKey,
    sortKey,
    gsi,
    billing,
    readCapacity,
    writeCapacity,
    ttl,
    stream,
    noRecovery,
    noInsights,
  } = settings;
  return {
    partitionKey: partitionKey.value,
    sortKey: sortKey.value,
    gsi: gsi.value,
    billing: billing.value,
    readCapacity: readCapacity.value,
    writeCapacity: writeCapacity.value,
    ttl: ttl.value,
    stream: stream.value,
    recovery: !noRecovery.value,
    insights: !noInsights.value,
  };
}

/** What flags say, so that nobody is asked for it. */
function given(settings: TableSettings): Partial<TableAnswers> {
  const all = defaults(settings);
  const said = <Value>({ source }: Setting<unknown>, answer: Record<string, Value>) =>
    source === 'flag' ? answer : {};
  return {
    ...(settings.table.value === undefined ? {} : { table: settings.table.value }),
    ...said(settings.partitionKey, { partitionKey: all.partitionKey }),
    ...said(settings.sortKey, { sortKey: all.sortKey }),
    ...said(settings.gsi, { gsi: all.gsi }),
    ...said(settings.billing, { billing: all.billing }),
    ...said(settings.readCapacity, { readCapacity: all.readCapacity }),
    ...said(settings.writeCapacity, { writeCapacity: all.writeCapacity }),
    ...said(settings.ttl, { ttl: all.ttl }),
    ...said(settings.stream, { stream: all.stream }),
    ...said(settings.noRecovery, { recovery: all.recovery }),
    ...said(settings.noInsights, { insights: all.insights }),
  };
}
