import { useState } from 'preact/hooks';
import { call, errorText } from '../../data/api.ts';
import { refreshTables } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/states.tsx';
import type { DialogProps } from '../../shell/open-dialog.ts';
import { go } from '../../shell/router.ts';
import { toast } from '../../shell/toast.ts';

type Way = 'form' | 'json';

/** Creates a table from a short form, or from the JSON of CreateTable, as files and `describe-table` have it. */
export default function CreateTable({ onClose }: DialogProps) {
  const [way, setWay] = useState<Way>('form');
  const [problem, setProblem] = useState<string>();
  const [name, setName] = useState('');
  const [hash, setHash] = useState('PK');
  const [hashType, setHashType] = useState('S');
  const [range, setRange] = useState('SK');
  const [rangeType, setRangeType] = useState('S');
  const [json, setJson] = useState('');
  const create = async () => {
    try {
      const input =
        way === 'json' ? definitionOf(json) : fromForm(name.trim(), hash, hashType, range, rangeType);
      await call('CreateTable', input);
      await refreshTables();
      toast(`Created ${input.TableName}`);
      onClose();
      go(input.TableName, 'items');
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <Dialog
      title="Create a table"
      onClose={onClose}
      width={560}
      foot={
        <>
          <Button kind="plain" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" onClick={() => void create()}>
            Create table
          </Button>
        </>
      }
    >
      <div class="row">
        <Button kind={way === 'form' ? 'primary' : 'plain'} onClick={() => setWay('form')}>
          Form
        </Button>
        <Button kind={way === 'json' ? 'primary' : 'plain'} onClick={() => setWay('json')}>
          CreateTable JSON
        </Button>
      </div>
      {way === 'form' ? (
        <>
          <label class="labelled">
            Name
            <input
              class="field mono"
              value={name}
              placeholder="orders"
              spellcheck={false}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          <div class="row">
            <KeyField
              label="Partition key"
              name={hash}
              type={hashType}
              onName={setHash}
              onType={setHashType}
            />
            <KeyField
              label="Sort key (may be empty)"
              name={range}
              type={rangeType}
              onName={setRange}
              onType={setRangeType}
            />
          </div>
          <p class="faint small">On demand, without indexes. Indexes are added later, or with the JSON.</p>
        </>
      ) : (
        <>
          <label class="labelled">
            CreateTable request, or the answer of describe-table
            <textarea
              class="field mono"
              rows={14}
              value={json}
              spellcheck={false}
              placeholder={'{ "TableName": "orders", "KeySchema": [ … ], … }'}
              onInput={(event) => setJson(event.currentTarget.value)}
            />
          </label>
          <label class="labelled">
            or a file
            <input
              type="file"
              accept=".json,application/json"
              onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setJson)}
            />
          </label>
        </>
      )}
      {problem ? <Notice>{problem}</Notice> : null}
    </Dialog>
  );
}

function KeyField({
  label,
  name,
  type,
  onName,
  onType,
}: {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly onName: (name: string) => void;
  readonly onType: (type: string) => void;
}) {
  return (
    <div class="row grow">
      <label class="labelled grow">
        {label}
        <input
          class="field mono"
          value={name}
          spellcheck={false}
          onInput={(event) => onName(event.currentTarget.value)}
        />
      </label>
      <label class="labelled">
        Type
        <select class="field mono" value={type} onChange={(event) => onType(event.currentTarget.value)}>
          <option>S</option>
          <option>N</option>
          <option>B</option>
        </select>
      </label>
    </div>
  );
}

interface Definition {
  readonly TableName: string;
}

function fromForm(
  name: string,
  hash: string,
  hashType: string,
  range: string,
  rangeType: string,
): Definition & object {
  const keys = [
    { AttributeName: hash.trim(), AttributeType: hashType, KeyType: 'HASH' },
    ...(range.trim() === ''
      ? []
      : [{ AttributeName: range.trim(), AttributeType: rangeType, KeyType: 'RANGE' }]),
  ];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map(({ AttributeName, AttributeType }) => ({ AttributeName, AttributeType })),
    KeySchema: keys.map(({ AttributeName, KeyType }) => ({ AttributeName, KeyType })),
  } as Definition & object;
}

/** The members of a description that a request may have too; the others are what the table came to be. */
const requestMembers = [
  ...[
    'TableName',
    'AttributeDefinitions',
    'KeySchema',
    'BillingMode',
    'StreamSpecification',
    'SSESpecification',
  ],
  ...['Tags', 'TableClass', 'DeletionProtectionEnabled', 'OnDemandThroughput', 'WarmThroughput'],
];

function definitionOf(text: string): Definition & object {
  const parsed = JSON.parse(text) as Record<string, unknown>;
  const described = parsed.Table as Record<string, unknown> | undefined;
  if (described === undefined) return parsed as unknown as Definition & object;
  const mode =
    (described.BillingModeSummary as { BillingMode?: string } | undefined)?.BillingMode ?? 'PROVISIONED';
  const input: Record<string, unknown> = { BillingMode: mode };
  for (const member of requestMembers) if (described[member] !== undefined) input[member] = described[member];
  for (const list of ['GlobalSecondaryIndexes', 'LocalSecondaryIndexes'])
    if (Array.isArray(described[list]))
      input[list] = (described[list] as Record<string, unknown>[]).map((index) => ({
        ...{ IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection },
        ...(mode === 'PROVISIONED' &&
          list === 'GlobalSecondaryIndexes' && {
            ProvisionedThroughput: unitsOf(index.ProvisionedThroughput),
          }),
      }));
  if (mode === 'PROVISIONED') input.ProvisionedThroughput = unitsOf(described.ProvisionedThroughput);
  delete input.WarmThroughput;
  return input as unknown as Definition & object;
}

function unitsOf(throughput: unknown): object {
  const { ReadCapacityUnits, WriteCapacityUnits } = throughput as Record<string, unknown>;
  return { ReadCapacityUnits, WriteCapacityUnits };
}
