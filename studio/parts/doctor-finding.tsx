import { type Finding, pageOfFinding } from '../data/doctor.ts';
import { href } from '../shell/router.ts';
import { Snippet } from './buttons.tsx';

const kinds = { error: 'red', warning: 'amber', note: '' } as const;

/** What somebody notices, on one line; opened, why it happens, what was seen, and what would help. */
export function DoctorFinding({
  finding,
  table,
}: {
  readonly finding: Finding;
  /** Named, and linked to the page where the finding belongs; left out on that page itself. */
  readonly table?: string;
}) {
  const { id, severity, symptom, cause, evidence, fix, key, pattern } = finding;
  return (
    <details class="doctor-finding">
      <summary>
        <span class={`badge ${kinds[severity]}`}>{severity}</span>
        {table === undefined ? null : <strong>{table}</strong>}
        <span class="cut" title={symptom}>
          {symptom}
        </span>
        {key || pattern ? <span class="mono small soft cut">{key ?? pattern}</span> : null}
        <span class="mono small faint">{id}</span>
      </summary>
      <div class="column">
        <p>{cause}</p>
        <ul class="small soft">
          {evidence.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <p>→ {fix.text}</p>
        {table === undefined || table === '*' ? null : (
          <p>
            <a href={href(table, pageOfFinding(finding))}>See it in {table}</a>
          </p>
        )}
        {fix.command ? <Snippet text={fix.command} label="the command" /> : null}
      </div>
    </details>
  );
}
