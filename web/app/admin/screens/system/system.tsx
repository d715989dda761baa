import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { CheckList, useCheckSummary } from '../../parts/checks.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { SettingsTable } from '../../parts/settings-table.tsx';
import { systemAdministrators } from '../../roles.ts';
import { Backups } from './backups.tsx';
import { Jobs } from './jobs.tsx';
import { MaintenanceCard } from './maintenance.tsx';

export default function SystemScreen() {
  const text = useText('admin/system');
  const formats = useFormats();
  const mayChange = systemAdministrators.includes(useMe().role);
  const answer = useApi('getSystem', {});
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Loaded query={answer}>
        {({ system }) => (
          <Stack gap={24}>
            {mayChange ? <ConnectionTest url={system.public_url} /> : null}
            {mayChange ? <MaintenanceCard maintenance={system.maintenance} /> : null}
            <Backups backups={system.backups} />
            <Jobs mayChange={mayChange} />
            <Card title={text('about')}>
              <Pairs
                pairs={[
                  { name: text('version'), value: system.version },
                  { name: text('runsOn'), value: `Node ${system.node}, ${system.platform}` },
                  { name: text('database'), value: system.database },
                  { name: text('storage'), value: text(system.storage === 'S3' ? 'storageS3' : 'storageFolder') },
                  { name: text('since'), value: formats.dateTime(system.running_since) },
                ]}
              />
            </Card>
            <Support />
            <Card title={text('configuration')}>
              <SettingsTable caption={text('configurationCaption')} settings={system.settings} />
            </Card>
            <Licences licences={system.licences} />
          </Stack>
        )}
      </Loaded>
    </ConsoleScreen>
  );
}

function Licences({ licences }: { licences: CallAnswer<'getSystem'>['system']['licences'] }) {
  const text = useText('admin/system');
  const [isShown, setShown] = useState(false);
  return (
    <Card title={text('licences')}>
      {isShown ? (
        <PlainTable
          caption={text('licencesCaption')}
          headers={[text('program'), text('version'), text('licence')]}
          rows={licences.map(({ name, version, licence }) => ({ id: name, cells: [name, version, licence] }))}
        />
      ) : (
        <Row>
          <Button onClick={() => setShown(true)}>{text('licencesShow')}</Button>
        </Row>
      )}
    </Card>
  );
}

const checkNames: Record<string, TextKey<'admin/system'>> = {
  address: 'checkAddress',
  host: 'checkHost',
  https: 'checkHttps',
  forwarded: 'checkForwarded',
  size: 'checkSize',
  buffering: 'checkBuffering',
  clock: 'checkClock',
};

function ConnectionTest({ url }: { url: string }) {
  const text = useText('admin/system');
  const summary = useCheckSummary();
  const test = useApiChange('testConnection', []);
  const checks = test.data?.connection_test.checks;
  const run = () =>
    test.mutate({}, { onSuccess: ({ connection_test: { checks: found } }) => announce(summary(found)) });
  return (
    <Card title={text('connection')}>
      <Stack gap={16}>
        <p>{text('connectionHelp', { url })}</p>
        <Row>
          <Button variant="primary" isBusy={test.isPending} onClick={run}>
            {text('runConnection')}
          </Button>
        </Row>
        <ProblemNotice error={test.error} />
        {checks === undefined ? null : (
          <>
            <p>{summary(checks)}</p>
            <CheckList
              label={text('connection')}
              checks={checks}
              nameOf={(name) => text(checkNames[name] ?? 'checkAddress')}
            />
          </>
        )}
      </Stack>
    </Card>
  );
}

function Support() {
  const text = useText('admin/system');
  const [isEnabled, setEnabled] = useState(false);
  const support = useApi('getSupportText', {}, { isEnabled });
  return (
    <Card title={text('support')}>
      <Stack gap={16}>
        <p>{text('supportHelp')}</p>
        {isEnabled ? (
          <Loaded query={support}>
            {({ support: { text: supportText } }) => (
              <CopyField
                label={text('supportText')}
                value={supportText}
                isLong
                lines={12}
                announcement={text('supportCopied')}
              />
            )}
          </Loaded>
        ) : (
          <Row>
            <Button onClick={() => setEnabled(true)}>{text('supportShow')}</Button>
          </Row>
        )}
      </Stack>
    </Card>
  );
}
