"""Programs that step in turn, so that the machine's drift meets all of them alike.

Each reads numbers of steps from standard input, and prints for each number the time of a step in nanoseconds. The order is
another in each round, because whoever goes twice in a row finds its caches warm; the first steps of a turn are not timed.
"""
import random
import subprocess
import sys


class Stepper:
    """One process."""

    def __init__(self, command, environment):
        self.command = command
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def step(self, count):
        print(count, file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit(f"{self.command[-1]} ended with {self.process.returncode}")


def step_times(commands, *, rounds, steps, cold, warm_up):
    """By name of a (command, environment), the times of its rounds."""
    steppers = {name: Stepper(*how) for name, how in commands.items()}
    for stepper in steppers.values():
        stepper.step(warm_up)
    times = {name: [] for name in steppers}
    order = list(steppers)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            steppers[name].step(cold)
            times[name].append(steppers[name].step(steps))
    for stepper in steppers.values():
        stepper.end()
    return times
