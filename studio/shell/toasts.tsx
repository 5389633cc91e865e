import { Button } from '../parts/buttons.tsx';
import { drop, toasts } from './toast.ts';

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <span class="grow">{text}</span>
          {action ? (
            <Button
              kind="plain"
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          ) : null}
        </div>
      ))}
    </div>
  );
}
