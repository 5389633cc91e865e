import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../parts/buttons.tsx';
import { ago, plural, units } from '../../parts/format.ts';
import { Inspector } from '../../parts/page-frame.tsx';
import { forget, type KeptRequest, past, save, saved } from './requests.ts';

/** Saved requests in named collections, and what was run before. */
export function KeptRequests({
  table,
  current,
  onOpen,
  onClose,
}: {
  readonly table: string;
  readonly current: KeptRequest;
  readonly onOpen: (request: KeptRequest) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [collection, setCollection] = useState(Object.keys(saved.value)[0] ?? 'My requests');
  return (
    <Inspector title={<strong>Requests</strong>} onClose={onClose}>
      <div class="column" style={{ gap: '20px' }}>
        <form
          class="column"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            save(collection.trim() || 'My requests', { ...current, name: name.trim(), table });
            setName('');
          }}
        >
          <h3>Save the request</h3>
          <div class="row">
            <input
              class="field grow"
              aria-label="Name of the request"
              placeholder="Name, such as open orders"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <input
              class="field"
              style={{ width: '110px' }}
              aria-label="Collection"
              value={collection}
              onInput={(event) => setCollection(event.currentTarget.value)}
            />
            <Button submits icon="star">
              Save
            </Button>
          </div>
        </form>
        {Object.entries(saved.value).map(([title, requests]) => (
          <section key={title} class="column" style={{ gap: '2px' }}>
            <h3>{title}</h3>
            {requests.map((request) => (
              <div key={request.name} class="row">
                <button type="button" class="kept" onClick={() => onOpen(request)}>
                  <strong>{request.name}</strong>
                  <span class="badge">{request.operation}</span>
                </button>
                <IconButton
                  icon="trash"
                  label={`Forget ${request.name}`}
                  onClick={() => forget(title, request.name)}
                />
              </div>
            ))}
          </section>
        ))}
        <section class="column" style={{ gap: '2px' }}>
          <div class="row">
            <h3 class="grow">History</h3>
            {past.value.length > 0 ? (
              <Button
                kind="plain"
                onClick={() => {
                  past.value = [];
                }}
              >
                Clear
              </Button>
            ) : null}
          </div>
          {past.value.length === 0 ? (
            <p class="faint">What you run appears here. It stays in this browser.</p>
          ) : null}
          {past.value.map((request, i) => (
            <button key={i} type="button" class="kept" onClick={() => onOpen(request)}>
              <span class={`badge ${request.ok ? '' : 'red'}`}>{request.operation}</span>
              <span class="mono cut grow">{request.text.replaceAll(/\s+/g, ' ')}</span>
              <span class="faint small">
                {request.items === undefined ? '' : `${plural(request.items, 'item')} · `}
                {request.units === undefined ? '' : `${units(request.units)} u · `}
                {ago(Date.now() - request.atMs)}
              </span>
            </button>
          ))}
        </section>
      </div>
    </Inspector>
  );
}
