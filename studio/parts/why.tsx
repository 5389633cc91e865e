import { about } from '../data/connection.ts';
import { href } from '../shell/router.ts';

/** A link into the handbook, where the server has that page. It opens beside what one is doing. */
export function Why({ topic, text = 'why?' }: { readonly topic: string; readonly text?: string }) {
  if (about.value?.handbook?.includes(topic) !== true) return null;
  return (
    <a class="why" href={href(undefined, 'handbook', { topic })} title={`Handbook: ${topic}`}>
      {text}
    </a>
  );
}
