import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, SkeletonRows } from '../parts/states.tsx';

const loaded = new Map<unknown, ComponentType<never>>();

/** Draws a component whose code is loaded when it is first wanted. */
export function Lazy<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<{ default: ComponentType<Props> }>;
  readonly props: Props;
}) {
  const [, redraw] = useState(0);
  const [failed, setFailed] = useState<string>();
  const Known = loaded.get(load) as ComponentType<Props> | undefined;
  useEffect(() => {
    if (loaded.has(load)) return;
    setFailed(undefined);
    load().then(
      (module) => {
        loaded.set(load, module.default as ComponentType<never>);
        redraw((times) => times + 1);
      },
      (error: unknown) => setFailed(String(error)),
    );
  }, [load]);
  if (Known !== undefined) return <Known {...props} />;
  if (failed === undefined) return <SkeletonRows />;
  return (
    <div style={{ padding: '16px' }}>
      <Notice onRetry={() => location.reload()}>
        This part of the studio could not be loaded. The server may be away, or newer than this page. {failed}
      </Notice>
    </div>
  );
}
