import { render } from 'preact';
import { loadAbout } from './data/connection.ts';
import { stagedChanges } from './data/staged.ts';
import { watchServer } from './data/watch.ts';
import { App } from './shell/app.tsx';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
render(<App />, document.getElementById('app')!);
// A server that is away is asked again until it is back.
loadAbout().catch(() => {});
watchServer();
// Staged changes are in this page alone: the browser asks before it forgets them.
addEventListener('beforeunload', (event) => {
  if (stagedChanges.value.size > 0) event.preventDefault();
});
