"""Man pages of the program's commands, written from what the program itself says of them."""

import json
import re
import time

# What options say of the variables that set them: [BRASA_PORT, default: 8080].
VARIABLE = re.compile(r"\s*\[(BRASA_\w+)(?:, default: ([^\]]*))?\]")
SEE_ALSO = "/usr/share/doc/brasa"


def pages(dump, version, seconds):
    """The pages by their file name: one of the program, and one of each command with what is below it."""
    root = json.loads(dump)["command"]
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    commands = [command for command in shown(root.get("subcommands", [])) if command["commandName"] != "help"]
    made = {"brasa.1": overview(root, commands, date, version)}
    for command in commands:
        name = f"brasa-{command['commandName']}"
        others = [f"brasa-{other['commandName']}" for other in commands if other is not command]
        made[f"{name}.1"] = page(command, name, others, date, version)
    return made


def shown(parts):
    return [part for part in parts if part.get("shouldDisplay", True)]


def overview(root, commands, date, version):
    lines = head("brasa", root, date, version)
    lines += [".SH SYNOPSIS", ".B brasa", ".I command", "[\\fIoptions\\fR]"]
    lines += [".SH DESCRIPTION", *text(root.get("discussion", ""))]
    lines += [".SH COMMANDS"]
    for command in commands:
        lines += [".TP", f".BR brasa\\-{escaped(command['commandName'])} (1)", escaped(command.get("abstract", ""))]
    lines += [".SH OPTIONS", *options(root)]
    lines += [
        ".SH FILES",
        *entry("/etc/brasa/brasa.env", "Settings of the service, one variable a line."),
        *entry("/var/lib/brasa", "The data directory of the service."),
    ]
    lines += [
        ".SH EXIT STATUS",
        "0 where the command did its work; 1 where it failed, with one sentence that says why;",
        "64 where its arguments could not be read.",
    ]
    return ended(lines, [f"brasa-{command['commandName']}" for command in commands])


def page(command, name, others, date, version):
    lines = head(name, command, date, version)
    lines += [".SH SYNOPSIS"]
    endings = list(leaves(command, name.replace("-", " ", 1)))
    for index, (words, leaf) in enumerate(endings):
        lines += [".br"] if index else []
        lines += synopsis(words, leaf)
    lines += [".SH DESCRIPTION", *text(command.get("discussion") or command.get("abstract", ""))]
    if command.get("subcommands"):
        lines += [".SH COMMANDS"]
        for words, leaf in endings:
            lines += [f".SS {escaped(words)}", escaped(leaf.get("abstract", ""))]
            lines += [".PP", *text(leaf["discussion"])] if leaf.get("discussion") else []
            lines += options(leaf)
    else:
        lines += [".SH OPTIONS", *options(command)]
    variables = environment([leaf for _, leaf in endings])
    lines += [".SH ENVIRONMENT", *variables] if variables else []
    return ended(lines, ["brasa", *others])


def leaves(command, words):
    """The commands below that take arguments, with the words that call them."""
    below = shown(command.get("subcommands", []))
    if not below:
        yield words, command
    for child in below:
        yield from leaves(child, f"{words} {child['commandName']}")


def head(name, command, date, version):
    abstract = command.get("abstract", "").rstrip(".")
    return [
        f'.TH {escaped(name.upper())} 1 "{date}" "Brasa {escaped(version)}" "Brasa"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
    ]


def ended(lines, others):
    names = [f".BR {escaped(other)} (1)," for other in others]
    lines = lines + [".SH SEE ALSO", *names, escaped(SEE_ALSO)]
    return "\n".join(lines) + "\n"


def synopsis(words, command):
    parts = [f"\\fB{escaped(words)}\\fR"]
    for argument in shown(command.get("arguments", [])):
        if argument["kind"] == "positional":
            more = " ..." if argument.get("isRepeating") else ""
            word = f"\\fI{escaped(argument.get('valueName', ''))}\\fR{more}"
            parts.append(f"[{word}]" if argument.get("isOptional") else word)
        elif not argument.get("isOptional"):
            parts.append(spelled(argument, argument["preferredName"]))
    return [" ".join([*parts, "[\\fIoptions\\fR]"])]


def options(command):
    lines = []
    for argument in own_arguments(command):
        if argument["kind"] == "positional":
            name = f"\\fI{escaped(argument.get('valueName', ''))}\\fR"
        else:
            name = ", ".join(spelled(argument, each) for each in argument["names"])
        words = VARIABLE.sub("", argument.get("abstract", ""))
        found = VARIABLE.search(argument.get("abstract", ""))
        default = argument.get("defaultValue") or (found and found[2])
        default = None if default and default.startswith("--") else default
        lines += [".TP", name, escaped(words) or "See above."]
        lines += [escaped(f"Default: {default}.")] if default else []
        lines += [escaped(f"One of: {', '.join(argument['allValues'])}.")] if argument.get("allValues") else []
    return lines


def own_arguments(command):
    """What a command takes beyond --help and --version, which the page of the program has."""
    everywhere = {"help", "version"} if "superCommands" in command else set()
    names = lambda argument: {name["name"] for name in argument.get("names", [])}
    return [argument for argument in shown(command.get("arguments", [])) if not names(argument) & everywhere]


def spelled(argument, name):
    """An option as it is written: --port port."""
    dashes = "-" if name["kind"] == "short" else "--"
    word = f"\\fB{escaped(dashes + name['name'])}\\fR"
    return word if argument["kind"] == "flag" else f"{word} \\fI{escaped(argument.get('valueName', ''))}\\fR"


def environment(commands):
    """The variables that set options."""
    found = {}
    for command in commands:
        for argument in shown(command.get("arguments", [])):
            for variable, _ in VARIABLE.findall(argument.get("abstract", "")):
                found[variable] = f"Sets --{argument['preferredName']['name']}." if argument.get("names") else ""
    return [line for variable, says in sorted(found.items()) for line in entry(variable, says)]


def entry(name, says):
    return [".TP", f".B {escaped(name)}", escaped(says)]


def text(discussion):
    """Paragraphs, and indented lines as they are."""
    lines, is_sample = [], False
    for line in discussion.strip("\n").splitlines():
        if not line.strip():
            lines.append("" if is_sample else ".PP")
            continue
        if line.startswith("  ") != is_sample:
            is_sample = not is_sample
            lines = without_space(lines)
            lines += [".PP", ".RS 4", ".nf"] if is_sample else [".fi", ".RE", ".PP"]
        lines.append(escaped(line[2:], keeps=True) if is_sample else escaped(line.strip()))
    return without_space(lines) + ([".fi", ".RE"] if is_sample else [])


def without_space(lines):
    """Lines without what sets the next ones apart."""
    while lines and lines[-1] in ("", ".PP"):
        lines = lines[:-1]
    return lines


def escaped(words, keeps=False):
    """Words in which troff finds nothing of its own; spaces between them are one, unless they are kept."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    words = words if keeps else " ".join(words.split())
    return "\\&" + words if words.startswith((".", "'")) else words
