import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { Button, copyText } from '../../parts/buttons.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { modName, useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { complete } from './complete.ts';
import { ExplanationLine, useExplanation } from './explanation.tsx';
import { KeptRequests } from './kept-requests.tsx';
import { operations, statementMode, templateOf } from './operations.ts';
import { PatternFromRequest } from './pattern-from-request.tsx';
import { type KeptRequest, remember } from './requests.ts';
import { Results } from './results.tsx';
import { type Answer, runRequest } from './run-request.ts';

/** Longer requests are left out of the address. */
const sharedLengthMax = 4_000;
const modes = [statementMode, 'Query', 'Scan'];

/** Any request, explained before it runs. An address fills a request in; it runs when somebody presses the button. */
export default function QueryPage({ table }: TablePageProps) {
  const { params } = route.value;
  const operation = params.op ?? statementMode;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const text = texts[operation] ?? params.q ?? templateOf(operation, table);
  const [pages, setPages] = useState<readonly Answer[]>([]);
  const [page, setPage] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isRaw, setRaw] = useState(!modes.includes(operation));
  const running = useRef<AbortController | undefined>(undefined);
  const told = useExplanation(operation, text);
  /** Counts up when a text comes from elsewhere than the editor. */
  const [revision, setRevision] = useState(0);
  const setText = (next: string) => setTexts((before) => ({ ...before, [operation]: next }));
  useEffect(() => () => running.current?.abort(), []);
  /** What this page wrote into the address by itself: by then more may have been typed. */
  const written = useRef<string | undefined>(undefined);
  const writeAddress = (next: string | undefined) => {
    written.current = next;
    setParams({ op: operation, q: next }, true);
  };
  // Another address was opened: what it says counts more than what was typed before.
  useEffect(() => {
    if (params.q === undefined || params.q === written.current || params.q === texts[operation]) return;
    setText(params.q);
    setRevision((before) => before + 1);
  }, [params.q, operation]);
  const attributes = useMemo(
    () => [...new Set(pages.flatMap(({ items = [] }) => items.flatMap((item) => [...item.keys()])))],
    [pages],
  );
  const run = async (more = false) => {
    if (isBusy || told?.problem !== undefined) return;
    running.current = new AbortController();
    setText(text);
    setBusy(true);
    setProblem(undefined);
    const start = more ? pages.at(-1)?.next : undefined;
    const note = { operation, text, table: table.TableName, atMs: Date.now() };
    try {
      const answer = await runRequest(operation, text, start, running.current.signal);
      const next = more ? [...pages, answer] : [answer];
      setPages(next);
      setPage(next.length - 1);
      if (!more) {
        remember({ ...note, ok: true, units: answer.units, items: answer.items?.length });
        writeAddress(text.length > sharedLengthMax ? undefined : text);
      }
    } catch (error) {
      if (running.current.signal.aborted) return;
      setProblem(errorText(error));
      if (!more) remember({ ...note, ok: false, units: undefined, items: undefined });
    } finally {
      setBusy(false);
    }
  };
  const open = (request: KeptRequest) => {
    setTexts({ ...texts, [request.operation]: request.text });
    setRevision(revision + 1);
    setRaw(!modes.includes(request.operation));
    setParams({ op: request.operation, q: request.text });
  };
  const choose = (next: string) => setParams({ op: next, q: undefined });
  useKeys({
    'Mod+Enter': () => void run(),
    h: () => setParams({ kept: params.kept ? undefined : '1' }),
    '/': () =>
      document
        .querySelector<HTMLElement>('.code-host')
        ?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
        ?.focus(),
  });
  const answer = pages[page];
  return (
    <PageFrame
      toolbar={
        <div class="row query-tools">
          <div class="row" role="tablist" aria-label="Kind of request" style={{ gap: '2px' }}>
            {modes.map((mode) => (
              <ModeTab
                key={mode}
                label={mode}
                isCurrent={!isRaw && mode === operation}
                onClick={() => {
                  setRaw(false);
                  choose(mode);
                }}
              />
            ))}
            <ModeTab label="Any operation" isCurrent={isRaw} onClick={() => setRaw(true)} />
          </div>
          {isRaw ? (
            <>
              <input
                class="field mono"
                list="operations"
                aria-label="Operation"
                placeholder="GetItem"
                value={modes.includes(operation) ? '' : operation}
                onChange={(event) => {
                  const name = event.currentTarget.value.trim();
                  if (/^[A-Za-z]+$/.test(name)) choose(name);
                }}
              />
              <datalist id="operations">
                {operations.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </>
          ) : null}
          <div class="row query-actions">
            <Button
              kind="plain"
              icon="copy"
              onClick={() => {
                setText(text);
                writeAddress(text);
                void copyText(location.href, 'Copied the address of this request');
              }}
            >
              Share
            </Button>
            <Button
              kind="plain"
              icon="star"
              onClick={() => setParams({ make: params.make ? undefined : '1', kept: undefined })}
            >
              Make this an access pattern
            </Button>
            <Button
              kind="plain"
              icon="clock"
              onClick={() => setParams({ kept: params.kept ? undefined : '1', make: undefined })}
            >
              History and saved
            </Button>
            {isBusy ? (
              <Button onClick={() => running.current?.abort()}>Stop</Button>
            ) : (
              <Button
                kind={told?.isScan ? 'costly' : told?.isWrite ? 'danger primary' : 'primary'}
                icon="play"
                disabled={told?.problem !== undefined}
                onClick={() => void run()}
              >
                {told === undefined || told.problem !== undefined ? 'Run' : told.operation}
                {told?.cost ? ` · ${told.cost}` : ''}
              </Button>
            )}
          </div>
        </div>
      }
      inspector={
        params.kept ? (
          <KeptRequests
            table={table.TableName}
            current={{ operation, text }}
            onOpen={open}
            onClose={() => setParams({ kept: undefined })}
          />
        ) : params.make ? (
          <PatternFromRequest
            table={table}
            told={told}
            operation={operation}
            text={text}
            onClose={() => setParams({ make: undefined })}
          />
        ) : undefined
      }
    >
      <div class="query">
        <CodeEditor
          key={operation}
          text={text}
          revision={revision}
          language={operation === statementMode ? 'partiql' : 'json'}
          label={operation === statementMode ? 'PartiQL statement' : `Request of ${operation}`}
          hint={operation === statementMode ? 'SELECT …' : '{ }'}
          complete={(context) => complete(context, operation === statementMode, { operation, attributes })}
          onChange={setText}
          onRun={() => void run()}
        />
        <ExplanationLine told={told} />
        {problem ? (
          <div style={{ padding: '12px 16px' }}>
            <Notice onClose={() => setProblem(undefined)}>{problem}</Notice>
          </div>
        ) : null}
        {answer !== undefined ? (
          <Results
            table={table}
            answer={answer}
            page={page}
            isBusy={isBusy}
            onPrevious={page > 0 ? () => setPage(page - 1) : undefined}
            onNext={
              page < pages.length - 1
                ? () => setPage(page + 1)
                : answer.next === undefined
                  ? undefined
                  : () => void run(true)
            }
          />
        ) : isBusy ? (
          <SkeletonRows />
        ) : (
          <Empty title="Nothing has run yet">
            <p>
              The line above says what the request comes down to and what it costs. <kbd>{modName} Enter</kbd>{' '}
              runs it.
            </p>
          </Empty>
        )}
      </div>
    </PageFrame>
  );
}

function ModeTab({
  label,
  isCurrent,
  onClick,
}: {
  readonly label: string;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isCurrent}
      class={`button ${isCurrent ? '' : 'plain'}`}
      onClick={onClick}
    >
      {label}
    </button>
  );
}
