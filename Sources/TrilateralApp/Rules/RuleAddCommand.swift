import ArgumentParser
import JSON
import OperatingSystem
import People
import Rules
import Text
import Things

/// `trilateral rule add`: a rule, in the words of the command line or from a file.
struct RuleAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a rule; prints its short name.",
        discussion: """
            When it fires: --thing with --when or --device; --start, --cron, --once; --enter, --exit, --near, --far, --level. \
            Several of these are several triggers. If: --between. Then, in the order in which they are given: --set, \
            --action, --ceiling, --notify, --publish. --set and --action are for the --target before them, before the \
            first one for --thing; several --target in a row are driven alike. Behind all of them, a row of --target \
            is for all of them. Or --file with a rule in any form. See the manual: Rules.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Its title, 1 to 50 characters; made from the trigger without it.",
            valueName: "text"
        )
    )
    var title: String?

    @Option(
        help: ArgumentHelp("Seconds after a firing in which it does not fire again.", valueName: "seconds")
    )
    var pause: String?

    @Option(
        help: ArgumentHelp(
            "What becomes of a time that was missed: skip or run; without it a schedule skips, and --once runs.",
            valueName: "word"
        )
    )
    var missed: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The user who makes it, and with whose rights it acts; without it the owner.",
            valueName: "user"
        ),
        completion: .users
    )
    var maker: String?

    @Option(file: "A file with one rule, JSON; - reads standard input.")
    var file: String?

    @OptionGroup var when: RuleWhenOptions
    @OptionGroup var then: RuleThenOptions
    @OptionGroup var people: AdministrationOption

    func validate() throws {
        if file != nil, try options([]) != RuleOptions(thing: when.thing) {
            throw ValidationError(
                "--file excludes all other options of the rule except --thing; give one of them"
            )
        }
        try RuleFiles.check(thing: when.thing)
    }

    /// The rule's options.
    ///
    /// - Parameter words: The command line, for the order of what is done.
    private func options(_ words: [String]) throws -> RuleOptions {
        var options = RuleOptions()
        (options.title, options.pause, options.missed) = (title, pause, missed)
        when.write(to: &options)
        then.write(to: &options, words)
        return options
    }

    func run() async throws {
        let body: [String: JSONValue?]
        var words: RuleOptions?
        if let file {
            body = try RuleFiles(paths: [file], thing: when.thing).readOne().members
        } else {
            let options = try options(ProcessImage.ofThisProcess().arguments)
            words = options
            do throws(Refusal) {
                let read = try options.rule()
                body = ["rule": .object(try options.json()), "form": .string(read.form.rawValue)]
            } catch {
                throw VerbError(error.message, .dataError)
            }
        }
        let answer = try await people.ask(
            .post,
            [RulesCommand.route, "add"],
            query: ["as": maker],
            body: body,
            needsDaemon: true,
            explaining: { message, field in
                field == "as" ? "--as: \(message)" : words?.sentence(message, about: field) ?? message
            }
        )
        let slug = ListOption.text(answer["slug"] ?? .null)
        try StandardOutput.print(slug)
        for warning in answer["warnings"]?.array ?? [] {
            StandardError.report("warning: \(ListOption.text(warning))")
        }
        StandardError.tellPerson("Added rule \(slug). `trilateral rule test \(slug)` shows what it sees now.")
    }
}

extension RuleOptions {
    fileprivate init(thing: String?) {
        self.init()
        self.thing = thing
    }
}

/// What starts a rule, and what must hold.
struct RuleWhenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The thing of --when and --device, and of what is done without --target.",
            valueName: "thing"
        ),
        completion: .things
    )
    var thing: String?

    @Option(
        help: ArgumentHelp(
            "A field with ==, !=, >, <, >= or <= and a value, such as 'brightness>=0.5' or 'brightness>=50%'; or a field alone, for each change.",
            valueName: "comparison"
        )
    )
    var when: [String] = []

    @Option(
        help: ArgumentHelp(
            "When a comparison fires: rising (without it), true or changed.",
            valueName: "word"
        )
    )
    var edge: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Seconds for which a comparison must hold before it counts, 0 to 86400.",
            valueName: "seconds"
        )
    )
    var hold: String?

    @Option(
        help: ArgumentHelp(
            "How far back beyond its limit a value must go until the comparison counts as false.",
            valueName: "number"
        )
    )
    var margin: String?

    @Option(
        help: ArgumentHelp(
            "on_connect, ip_change, on_connection_lost or on_connection_restore of a thing with a connection of its own.",
            valueName: "event"
        )
    )
    var device: [String] = []

    @Option(
        help: ArgumentHelp(
            "Seconds for which the connection must be so, 300 to 86400; without it 300 for on_connection_lost and on_connection_restore, which need a loss of that time, too.",
            valueName: "seconds"
        )
    )
    var threshold: String?

    @Option(help: ArgumentHelp("When a schedule begins: 08:00, sunset, sunrise+00:30.", valueName: "time"))
    var start: String?

    @Option(help: ArgumentHelp("When the schedule ends.", valueName: "time"))
    var end: String?

    @Option(
        help: ArgumentHelp(
            "The days of the week on which it begins, from 1 (Sunday) to 7 or with names, such as 1,7 or mon-fri.",
            valueName: "days"
        )
    )
    var days: String?

    @Option(
        help: ArgumentHelp("The first date on which the schedule begins: 2026-12-20.", valueName: "date")
    )
    var from: String?

    @Option(help: ArgumentHelp("The last date on which the schedule begins.", valueName: "date"))
    var until: String?

    @Option(help: ArgumentHelp("Five fields of cron, such as '0 7 * * 1-5'.", valueName: "fields"))
    var cron: [String] = []

    @Option(
        help: ArgumentHelp("One moment with its offset, such as 2027-03-29T08:00:00Z.", valueName: "time")
    )
    var once: [String] = []

    @Option(
        help: ArgumentHelp(
            "A place that is entered: zone:Z, geo:LAT,LON,METRES or 'beacon:id1: UUID id2: MAJOR id3: MINOR'.",
            valueName: "place"
        )
    )
    var enter: [String] = []

    @Option(help: ArgumentHelp("A place that is left.", valueName: "place"))
    var exit: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How strongly the beacon of --enter or --exit must be heard, such as -65; without it any signal counts.",
            valueName: "dbm"
        )
    )
    var rssi: String?

    @Option(
        help: ArgumentHelp(
            "Seconds without such a signal until the beacon is left, 10 to 3600; 60 without it.",
            valueName: "seconds"
        )
    )
    var gone: String?

    @Option(
        help: ArgumentHelp("A thing that becomes the one that is near.", valueName: "thing"),
        completion: .things
    )
    var near: [String] = []

    @Option(help: ArgumentHelp("A thing that is no longer near.", valueName: "thing"), completion: .things)
    var far: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whose --enter, --exit, --near and --far it is: the node of a device; any, for each device; first, of --enter and --near, if no other device is there; last, of --exit and --far, if no device is there any more. Without it this device.",
            valueName: "device"
        )
    )
    var who: String?

    @Option(help: ArgumentHelp("A level that is reached, such as Active.", valueName: "level"))
    var level: [String] = []

    @Option(
        help: ArgumentHelp("Only between two times, such as 08:00-20:00 or sunset-23:30.", valueName: "range")
    )
    var between: [String] = []

    func write(to options: inout RuleOptions) {
        (options.thing, options.when, options.edge, options.hold) = (thing, when, edge, hold)
        (options.margin, options.device, options.threshold) = (margin, device, threshold)
        (options.start, options.end, options.days, options.cron) = (start, end, days, cron)
        (options.from, options.until) = (from, until)
        (options.once, options.enter, options.exit) = (once, enter, exit)
        (options.rssi, options.gone, options.who) = (rssi, gone, who)
        (options.near, options.far, options.level, options.between) = (near, far, level, between)
    }
}

/// What a rule does.
struct RuleThenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A value to set, such as on=true; end:on=false sets it at the end of a schedule, range:on=true at its start or later within it.",
            valueName: "key=value"
        )
    )
    var set: [String] = []

    @Option(help: ArgumentHelp("An action of a thing; end: or range: as with --set.", valueName: "name"))
    var action: [String] = []

    @Option(
        help: ArgumentHelp(
            "The highest automatic level: FULL, LIMITED, BACKGROUND or NONE; null ends it.",
            valueName: "level"
        )
    )
    var ceiling: [String] = []

    @Option(
        help: ArgumentHelp(
            "Who gets a message: user:U, contact:C, installation:ID, display:ID, display:all, sms:NUMBER or an e-mail address.",
            valueName: "who"
        )
    )
    var notify: [String] = []

    @Option(
        help: ArgumentHelp(
            "What the --set and --action after it drive: a thing, zone:Z or nearby; before the first one they drive --thing. Several in a row are driven alike.",
            valueName: "target"
        )
    )
    var target: [String] = []

    @Option(
        help: ArgumentHelp(
            "JSON, or a text, that is published on rules/RULE/out of the broker and nowhere else; end: or range: as with --set.",
            valueName: "json"
        )
    )
    var publish: [String] = []

    @Option(
        help: ArgumentHelp(
            "A channel of --notify: email, sms or push; without it all that are on.",
            valueName: "channel"
        )
    )
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            "The message; {device}, {thing}, {zone}, {field}, {value}, {before}, {time}, {rule} and {why} are filled in.",
            valueName: "text"
        )
    )
    var text: String?

    /// - Parameter words: The command line: what is done is done in its order, which the parser does not tell.
    func write(to options: inout RuleOptions, _ words: [String]) {
        (options.channels, options.text) = (channel, text)
        options.steps = steps(words)
    }

    private func steps(_ words: [String]) -> [RuleOptions.Step] {
        typealias Step = RuleOptions.Step
        var left: [String: ArraySlice<Step>] = [
            "--set": ArraySlice(set.map { Step.set($0) }),
            "--action": ArraySlice(action.map { Step.action($0) }),
            "--ceiling": ArraySlice(ceiling.map { Step.ceiling($0) }),
            "--notify": ArraySlice(notify.map { Step.notify($0) }),
            "--publish": ArraySlice(publish.map { Step.publish($0) }),
            "--target": ArraySlice(target.map { Step.target($0) }),
        ]
        // A value is never one of these words: the parser refuses what begins with a dash.
        var steps = words.compactMap { word -> Step? in
            let name = word.prefix { $0 != "=" }
            return left[String(name)]?.popFirst()
        }
        let names = ["--target", "--set", "--action", "--ceiling", "--notify", "--publish"]
        for name in names { steps += left[name] ?? [] }
        return steps
    }
}
