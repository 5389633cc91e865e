import { useState } from 'preact/hooks';
import { Button, copyText, Snippet } from '../../parts/buttons.tsx';
import { type DraftKey, patternDraft, type RequestShape } from './pattern-draft.ts';

/** A name, the lines for the model, and the label that makes traffic known by that name. */
export function MakePattern({
  shape,
  keys,
}: {
  readonly shape: RequestShape;
  readonly keys: readonly DraftKey[];
}) {
  const [name, setName] = useState('');
  const text = patternDraft(name.trim() || 'newPattern', shape, keys);
  return (
    <section class="column make-pattern">
      <h3>Make this an access pattern</h3>
      <label class="labelled">
        Its name
        <input
          class="field mono"
          value={name}
          placeholder="ordersOfCustomer"
          spellcheck={false}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <Snippet text={text} label="the pattern" />
      <p class="small soft">
        Put it into the model, and send the name with its requests; a <code>stator/client</code> does that by
        itself.
      </p>
      <Snippet text={`x-stator-pattern: ${name.trim() || 'newPattern'}`} label="the header" />
      <div class="row">
        <Button
          kind="primary"
          icon="copy"
          onClick={() => void copyText(text, 'A pattern for your model is copied')}
        >
          Copy for the model
        </Button>
      </div>
    </section>
  );
}
