import { useState } from 'preact/hooks';
import { call, errorText } from '../data/api.ts';
import { chosenRegion, credentials, epoch, region } from '../data/connection.ts';
import { Button } from '../parts/buttons.tsx';
import { Notice } from '../parts/states.tsx';

/** Asks for an access key where the server verifies signatures. It is tried before it is taken. */
export function SignIn() {
  return (
    <div class="empty" style={{ textAlign: 'left', alignItems: 'stretch', maxWidth: '420px' }}>
      <h2>This server verifies signatures</h2>
      <p>
        Give an access key that it knows. Requests are signed in this page; the key is kept in memory only and
        is gone when the page is closed.
      </p>
      <CredentialsForm submit="Sign in" />
    </div>
  );
}

export function CredentialsForm({
  submit,
  onDone,
}: {
  readonly submit: string;
  readonly onDone?: () => void;
}) {
  const [problem, setProblem] = useState<string>();
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const token = text('token');
    const given = {
      accessKeyId: text('id'),
      secretAccessKey: text('secret'),
      ...(token !== '' && { sessionToken: token }),
    };
    const wanted = text('region') || region.value;
    try {
      await call('ListTables', { Limit: 1 }, { as: { credentials: given, region: wanted } });
      credentials.value = given;
      chosenRegion.value = wanted;
      epoch.value++;
      onDone?.();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <form class="column" style={{ gap: '12px' }} onSubmit={(event) => void onSubmit(event)}>
      <label class="labelled">
        Access key id
        <input class="field mono" name="id" required autocomplete="off" spellcheck={false} />
      </label>
      <label class="labelled">
        Secret access key
        <input class="field mono" name="secret" type="password" required autocomplete="off" />
      </label>
      <label class="labelled">
        Session token, if there is one
        <input class="field mono" name="token" type="password" autocomplete="off" />
      </label>
      <label class="labelled">
        Region
        <input class="field mono" name="region" value={region.value} spellcheck={false} />
      </label>
      {problem ? <Notice>{problem}</Notice> : null}
      <div>
        <Button kind="primary" submits>
          {submit}
        </Button>
      </div>
    </form>
  );
}
