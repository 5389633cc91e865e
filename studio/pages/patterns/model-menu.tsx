import { useRef } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { forgetModel, type KnownModel, keepModel } from '../../data/models.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { Icon } from '../../parts/icon.tsx';
import { toast } from '../../shell/toast.ts';
import type { JudgedTable } from './judge-model.ts';

const proofs = {
  proved: {
    kind: 'green',
    text: 'Proved',
    title: 'This page has checked the certificate: no design has fewer indexes.',
  },
  unproved: {
    kind: 'amber',
    text: 'Served, not proved least',
    title: 'Every pattern has its plan. Whether fewer indexes would do was not searched to the end.',
  },
  'by hand': {
    kind: 'accent',
    text: 'Keys by hand',
    title:
      'Every pattern was checked against keys that somebody wrote; nothing is proved about fewer indexes.',
  },
  refuted: { kind: 'red', text: 'The proof fails', title: 'The checker disagrees with the design.' },
} as const;

/** What the checker says of the whole table. */
export function ModelBadge({ judged: { proof, patterns, troubles } }: { readonly judged: JudgedTable }) {
  const failing = patterns.filter(({ standing }) => standing === 'failing').length;
  const { kind, text, title } = proofs[failing > 0 && proof !== 'refuted' ? proof : proof];
  return (
    <>
      {failing > 0 ? <span class="badge red">{failing} failing</span> : null}
      <span class={`badge ${kind}`} title={[title, ...troubles].join('\n')}>
        {proof === 'proved' ? <Icon name="check" /> : null}
        {text}
      </span>
    </>
  );
}

/** Opens a model from a file, which this browser keeps, and forgets it. */
export function ModelMenu({
  table,
  known,
  onProblem,
}: {
  readonly table: string;
  readonly known: KnownModel | undefined;
  readonly onProblem: (text: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      const { modelOfFile } = await import('./judge-model.ts');
      const { model, design } = modelOfFile(await file.text());
      keepModel(model, design);
      const names = design.tables.map(({ name }) => name);
      toast(
        names.includes(table)
          ? `Opened the model ${model.name}`
          : `The model ${model.name} has no table ${table}, but ${names.join(', ')}`,
      );
    } catch (error) {
      onProblem(`${file.name} is no model: ${errorText(error)}`);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Model file"
        accept=".json,application/json"
        onChange={(event) => {
          void open(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      {known === undefined ? (
        <Button icon="upload" onClick={() => input.current?.click()}>
          Open a model
        </Button>
      ) : (
        <Menu
          label="Model"
          text={`Model ${known.model.name}`}
          icon="table"
          entries={[
            { label: 'Open another model…', icon: 'upload', run: () => input.current?.click() },
            {
              label: 'Download this model and its design',
              icon: 'download',
              run: () => download(known),
            },
            ...(known.from === 'page'
              ? [
                  {
                    label: 'Forget it in this browser',
                    icon: 'trash' as const,
                    run: () => forgetModel(known.model.name),
                  },
                ]
              : []),
          ]}
        />
      )}
    </>
  );
}

function download({ model, design }: KnownModel): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify({ model, design }, null, 2)], { type: 'application/json' }),
  );
  link.download = `${model.name}.model.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
