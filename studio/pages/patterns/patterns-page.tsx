import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { epoch } from '../../data/connection.ts';
import { loadModels, modelOfTable } from '../../data/models.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { Derivation } from './derivation.tsx';
import type { JudgedTable } from './judge-model.ts';
import { KeyMap } from './key-map.tsx';
import { usePatterns } from './live-patterns.ts';
import { ModelBadge, ModelMenu } from './model-menu.tsx';
import { PatternInspector, ShapeInspector } from './pattern-inspector.tsx';
import { PatternTable } from './pattern-table.tsx';
import { idOfShape, TrafficTable } from './traffic-table.tsx';

const views = [
  ['patterns', 'Access patterns'],
  ['keys', 'Keys'],
  ['why', 'Derivation and cost'],
  ['traffic', 'Traffic'],
] as const;

/** Requests of Stator itself, which nobody has to explain. */
const ourOwn = new Set(['stator doctor', 'load the example']);
/** Operations of streams follow a table; they ask it no question. */
const ofStreams = new Set(['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords']);

/**
 * A table's access patterns: those of its model with their plans, proofs and forecasts against live numbers, and those
 * that traffic shows.
 */
export default function PatternsPage({ table }: TablePageProps) {
  const name = table.TableName;
  const known = modelOfTable(name);
  const connection = epoch.value;
  const [judged, setJudged] = useState<JudgedTable>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    loadModels(gone.signal).catch(() => {});
    return () => gone.abort();
  }, [connection]);
  useEffect(() => {
    setJudged(undefined);
    setProblem(undefined);
    if (known === undefined) return;
    let isGone = false;
    import('./judge-model.ts').then(
      ({ judge }) => {
        if (!isGone) setJudged(judge(known.model, known.design, name));
      },
      (error: unknown) => setProblem(errorText(error)),
    );
    return () => {
      isGone = true;
    };
  }, [known?.model, known?.design, name]);
  const { polled, byName } = usePatterns(name);
  const { params } = route.value;
  const view = known === undefined ? 'traffic' : (params.view ?? 'patterns');
  const own =
    polled.value?.patterns.filter(
      (one) => one.table === name && !ourOwn.has(one.name) && !ofStreams.has(one.operation),
    ) ?? [];
  const named = new Set(judged?.patterns.map((pattern) => pattern.name));
  const shapes = known === undefined ? own : own.filter((pattern) => !named.has(pattern.name));
  const ids = view === 'traffic' ? shapes.map(idOfShape) : view === 'patterns' ? [...named] : [];
  const pattern = judged?.patterns.find((one) => one.name === params.pattern);
  const shape = own.find((one) => idOfShape(one) === params.pattern);
  const choose = (id: string | undefined) => setParams({ pattern: id }, true);
  const move = (by: number) => {
    const next = ids[Math.max(0, ids.indexOf(params.pattern ?? '') + by)];
    if (next !== undefined) choose(next);
  };
  useKeys({ ArrowDown: () => move(1), ArrowUp: () => move(-1), Escape: () => choose(undefined) });
  return (
    <PageFrame
      padded
      toolbar={
        <div class="row">
          {known === undefined
            ? null
            : views.map(([id, title]) => (
                <button
                  key={id}
                  type="button"
                  class={`button ${view === id ? '' : 'plain'}`}
                  aria-pressed={view === id}
                  onClick={() => setParams({ view: id === 'patterns' ? undefined : id, pattern: undefined })}
                >
                  {title}
                  {id === 'traffic' && shapes.length > 0 ? <span class="badge">{shapes.length}</span> : null}
                </button>
              ))}
          {known === undefined ? <span class="soft">Patterns as traffic shows them</span> : null}
          <span class="grow" />
          {judged === undefined ? null : <ModelBadge judged={judged} />}
          <ModelMenu table={name} known={known} onProblem={setProblem} />
        </div>
      }
      inspector={
        pattern !== undefined && view === 'patterns' ? (
          <PatternInspector
            table={table}
            pattern={pattern}
            live={byName.get(pattern.name)}
            judged={judged!}
            onClose={() => choose(undefined)}
          />
        ) : shape !== undefined ? (
          <ShapeInspector pattern={shape} keys={judged?.keys ?? []} onClose={() => choose(undefined)} />
        ) : undefined
      }
    >
      {problem ? <Notice onClose={() => setProblem(undefined)}>{problem}</Notice> : null}
      {polled.error && view === 'traffic' ? <Notice onRetry={polled.refresh}>{polled.error}</Notice> : null}
      {view === 'traffic' ? (
        <Traffic isKnown={known !== undefined} isWaiting={polled.value === undefined && !polled.error}>
          {shapes.length === 0 ? null : <TrafficTable patterns={shapes} selected={shape} onSelect={choose} />}
        </Traffic>
      ) : judged === undefined ? (
        problem ? null : (
          <SkeletonRows />
        )
      ) : view === 'keys' ? (
        <KeyMap judged={judged} />
      ) : view === 'why' ? (
        <Derivation judged={judged} />
      ) : (
        <PatternTable
          judged={judged}
          live={byName}
          selected={params.pattern}
          unnamed={shapes.length}
          onSelect={choose}
        />
      )}
    </PageFrame>
  );
}

function Traffic({
  isKnown,
  isWaiting,
  children,
}: {
  readonly isKnown: boolean;
  readonly isWaiting: boolean;
  readonly children: preact.ComponentChildren;
}) {
  if (isWaiting) return <SkeletonRows />;
  return (
    <div class="column" style={{ gap: '16px' }}>
      {isKnown ? (
        <p class="soft">
          Requests of the last hour that no pattern of the model explains. Open one to make it an access
          pattern.
        </p>
      ) : null}
      {children ?? (
        <Empty title={isKnown ? 'The model explains all traffic' : 'No requests in the last hour'}>
          <p>
            Requests appear here by their shape. Give an access pattern a name with the header{' '}
            <code>x-stator-pattern</code>, or set an application id in your SDK's client.
          </p>
        </Empty>
      )}
      {isKnown ? null : (
        <p class="faint small" style={{ maxWidth: '640px' }}>
          Is there a model of this table? <code>stator start --model model.ts</code>, or open its JSON with
          the button above, and this page shows each pattern with its plan, proof and price, against the
          traffic.
        </p>
      )}
    </div>
  );
}
