import type { CompletionSource } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import { SkeletonRows } from './states.tsx';

export interface CodeEditorProps {
  /** What the editor begins with. What is typed belongs to the editor. */
  readonly text: string;
  /** Counts up when `text` comes from elsewhere and shall replace what stands in the editor. */
  readonly revision: number;
  readonly language: 'partiql' | 'json';
  readonly label: string;
  readonly hint: string;
  readonly complete: CompletionSource;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

/**
 * A code editor. CodeMirror is loaded when the first one is drawn. It lives in a shadow root, where its styles are
 * adopted instead of written into the page, which the page's policy forbids.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { language, label, revision } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const replace = useRef<((text: string) => void) | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let isGone = false;
    void import('./code-mirror.ts').then(({ makeEditor, replaceText }) => {
      if (isGone || host.current === null) return;
      const parent = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
      const made = makeEditor({
        ...{ parent, language, label },
        text: latest.current.text,
        hint: latest.current.hint,
        complete: (context) => latest.current.complete(context),
        onChange: (next) => latest.current.onChange(next),
        onRun: () => latest.current.onRun(),
      });
      view.current = made;
      replace.current = (text) => replaceText(made, text);
      setReady(true);
    });
    return () => {
      isGone = true;
      view.current?.destroy();
      view.current = undefined;
      replace.current = undefined;
    };
  }, [language]);
  useEffect(() => replace.current?.(latest.current.text), [revision]);
  return (
    <div class="code-editor">
      <div ref={host} class="code-host" />
      {isReady ? null : <SkeletonRows rows={3} />}
    </div>
  );
}
