import { PageFrame } from '../../parts/page-frame.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { PhysicsPanel } from './physics-panel.tsx';
import { SnapshotPanel } from './snapshot-panel.tsx';

/** What a test would do to the database: move its clock, make requests fail, act out physics, take it back to a snapshot. */
export default function FaultsPage() {
  return (
    <PageFrame padded>
      <div class="faults-columns">
        <div class="column panels">
          <ClockPanel />
          <FaultsPanel />
        </div>
        <div class="column panels">
          <PhysicsPanel />
          <SnapshotPanel />
        </div>
      </div>
    </PageFrame>
  );
}
