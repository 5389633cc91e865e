import { useState } from 'preact/hooks';
import { about, chosenRegion, credentials, epoch, openAccessKey, region } from '../data/connection.ts';
import { stagedChanges } from '../data/staged.ts';
import { tableNames } from '../data/tables.ts';
import { Button } from '../parts/buttons.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { plural } from '../parts/format.ts';
import { Notice } from '../parts/states.tsx';
import type { DialogProps } from './open-dialog.ts';
import { CredentialsForm } from './sign-in.tsx';

/** Which Region, account or namespace is looked at. */
export default function ConnectionDialog({ onClose }: DialogProps) {
  const staged = stagedChanges.value.size;
  const isVerified = about.value?.auth === 'verify';
  return (
    <Dialog title="Whose tables" onClose={onClose} width={460}>
      {staged > 0 ? (
        <Notice kind="amber">
          {plural(staged, 'change')} staged for these tables. Commit or discard {staged === 1 ? 'it' : 'them'}{' '}
          first, so that nothing is written into tables of the same name elsewhere.
        </Notice>
      ) : isVerified ? (
        <>
          <p class="soft">
            Signed in as {credentials.value?.accessKeyId}. Another access key sees its own account.
          </p>
          <CredentialsForm submit="Use this key" onDone={onClose} />
        </>
      ) : (
        <OpenForm onDone={onClose} />
      )}
    </Dialog>
  );
}

function OpenForm({ onDone }: { readonly onDone: () => void }) {
  const [id, setId] = useState(openAccessKey.value);
  const [name, setName] = useState(region.value);
  return (
    <form
      class="column"
      style={{ gap: '12px' }}
      onSubmit={(event) => {
        event.preventDefault();
        openAccessKey.value = id.trim() || 'studio';
        chosenRegion.value = name.trim() || undefined;
        tableNames.value = undefined;
        epoch.value++;
        onDone();
      }}
    >
      <p class="soft">
        Regions have tables of their own. This server takes any access key: 12 digits name an account, and the
        access key of a namespace shows that copy of the database.
      </p>
      <label class="labelled">
        Region
        <input
          class="field mono"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          pattern="[a-z0-9\-]+"
        />
      </label>
      <label class="labelled">
        Access key id
        <input
          class="field mono"
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
          pattern="[^\s/,]+"
        />
      </label>
      <div>
        <Button kind="primary" submits>
          Show its tables
        </Button>
      </div>
    </form>
  );
}
