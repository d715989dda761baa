// The first page of the help, which fits a screen of 40 lines, and the page of the flags that every command takes.
import { type Command, Help, type HelpConfiguration } from 'commander';

const usual = new Help();

/** The first page has one line for each command and no list of flags; pages of commands look as they usually do. */
export const helpLayout: HelpConfiguration = {
  visibleOptions: (command) => (command.parent === null ? [] : usual.visibleOptions(command)),
  // The command that prints help has no parent.
  subcommandTerm: (command) =>
    (command.parent?.parent ?? null) === null ? command.name() : usual.subcommandTerm(command),
};

export function flagNames(program: Command): string {
  const names = usual.visibleOptions(program).map(({ long }) => long);
  const lines = usual.boxWrap(names.join('  '), 78).split('\n');
  return `\nFlags of every command ("waybill help flags" explains them):\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** `waybill help flags`, no command of its own. */
export function addFlagsTopic(program: Command): void {
  program
    .command('flags', { hidden: true })
    .description('the flags that every command takes')
    .configureHelp({
      formatHelp: () => {
        const options = usual.visibleOptions(program);
        const width = Math.max(...options.map(({ flags }) => flags.length));
        const lines = options.map((option) =>
          usual.formatItem(option.flags, width, usual.optionDescription(option), usual),
        );
        return `Flags of every command, before or after its name:\n${lines.join('\n')}\n`;
      },
    })
    .action((_, command: Command) => command.outputHelp());
}
