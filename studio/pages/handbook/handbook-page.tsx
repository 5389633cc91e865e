import { useEffect, useRef, useState } from 'preact/hooks';
import { about } from '../../data/connection.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { href, route } from '../../shell/router.ts';
import { Markdown } from './markdown.tsx';

/** The handbook of the package, without the network. */
export default function HandbookPage() {
  const names = about.value?.handbook ?? [];
  const { topic = 'README', at } = route.value.params;
  const [page, setPage] = useState<{ topic: string; text: string }>();
  const [problem, setProblem] = useState<string>();
  const content = useRef<HTMLElement>(null);
  useEffect(() => {
    const gone = new AbortController();
    setProblem(undefined);
    fetch(`/_studio/handbook/${encodeURIComponent(topic)}.md`, { signal: gone.signal }).then(
      async (response) => {
        if (response.ok) setPage({ topic, text: await response.text() });
        else setProblem(`The handbook has no page ${topic}`);
      },
      (error: unknown) => {
        if (!gone.signal.aborted) setProblem(String(error));
      },
    );
    return () => gone.abort();
  }, [topic]);
  useEffect(() => {
    const target = at === undefined ? undefined : content.current?.querySelector(`#${CSS.escape(at)}`);
    if (target) target.scrollIntoView();
    else content.current?.parentElement?.scrollTo(0, 0);
  }, [page, at]);
  if (names.length === 0)
    return (
      <Empty title="This server has no handbook">
        <p>It comes with the package, under docs/handbook.</p>
      </Empty>
    );
  return (
    <PageFrame padded>
      <div class="handbook">
        <nav aria-label="Handbook">
          {['README', ...names.filter((name) => name !== 'README')].map((name) => (
            <a
              key={name}
              href={href(undefined, 'handbook', { topic: name })}
              aria-current={name === topic ? 'page' : undefined}
            >
              {titleOf(name)}
            </a>
          ))}
        </nav>
        <article ref={content}>
          {problem ? <Notice>{problem}</Notice> : null}
          {page?.topic === topic ? <Markdown text={page.text} /> : problem ? null : <SkeletonRows />}
        </article>
      </div>
    </PageFrame>
  );
}

function titleOf(name: string): string {
  if (name === 'README') return 'Contents';
  if (name === 'api') return 'API: items';
  if (name === 'api-tables') return 'API: tables';
  if (name === 'anti-patterns') return 'Anti-patterns';
  const text = name.replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
