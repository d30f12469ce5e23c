import JSON
import Text
import Things

// What a rule does, in the words of the command line.

extension RuleWords {
    /// A step with what it drives; without a target that is `--thing`.
    private typealias Targeted = (step: RuleOptions.Step, targets: [String])

    /// Values that follow each other are set at once, as a light takes its colour and its brightness.
    private struct Values {
        let timing: String?
        let targets: [String]
        var values: JSONObject
    }

    mutating func addActions() throws(Refusal) {
        var values: Values?
        for (step, targets) in try targeted() {
            if case .set(let text) = step {
                let (timing, key, value) = try Self.assignment(text)
                if let before = values, before.timing == timing, before.targets == targets,
                    before.values[key] == nil
                {
                    values?.values[key] = value
                    continue
                }
                try add(values)
                values = Values(timing: timing, targets: targets, values: [key: value])
                continue
            }
            try add(values)
            values = nil
            try add(step, targets)
        }
        try add(values)
        try checkDetails()
        guard !actions.isEmpty else {
            throw Refusal(
                .invalidValue,
                "a rule needs one of --set, --action, --ceiling, --notify and --publish"
            )
        }
        json["then"] = .array(actions)
        addOrigin(ofList: "then")
    }

    /// The steps, each with the targets before it.
    ///
    /// What is before the first target is for `--thing`. A single row of targets behind everything would drive
    /// nothing, so it is for what is before it.
    private func targeted() throws(Refusal) -> [Targeted] {
        var groups: [[String]] = []
        // Whether a target comes to the last group.
        var isOpen = false
        var found: [(step: RuleOptions.Step, group: Int)] = []
        for step in options.steps {
            if case .target(let text) = step {
                if !isOpen { groups.append([]) }
                groups[groups.count - 1].append(text)
                isOpen = true
            } else {
                if step.isDriving { isOpen = false }
                found.append((step, groups.count - 1))
            }
        }
        if isOpen, groups.count == 1, let early = found.first(where: \.step.isDriving) {
            try checkThing(before: early.step)
            return found.map { ($0.step, groups.first ?? []) }
        }
        // With several targets nothing says which of them is meant.
        let isSingle = groups.count == 1 && groups.first?.count == 1
        if options.thing == nil, !groups.isEmpty, !isSingle,
            let early = found.first(where: { $0.step.isDriving && $0.group < 0 })
        {
            throw Refusal(
                .invalidValue,
                "--target must be before the \(early.step.option) that it is for, if there are several",
                field: "--target"
            )
        }
        if isOpen, let last = groups.last?.last {
            throw Refusal(
                .invalidValue,
                "--target \(QuotedValue.of(last)) needs --set or --action behind it",
                field: "--target"
            )
        }
        return found.map { step, group in
            if groups.indices.contains(group) { return (step, groups[group]) }
            return (step, options.thing == nil ? groups.first ?? [] : [])
        }
    }

    /// Refuses targets behind what they are for, if that could be for `--thing`, which else has no use.
    private func checkThing(before step: RuleOptions.Step) throws(Refusal) {
        guard options.thing != nil, options.when.isEmpty, options.device.isEmpty else { return }
        throw Refusal(
            .invalidValue,
            """
            --target must be before the \(step.option) that it is for, as without it that is for --thing; or leave \
            out --thing
            """,
            field: "--target"
        )
    }

    private static func assignment(_ text: String) throws(Refusal) -> (String?, key: String, JSONValue) {
        let (timing, rest) = timed(text)
        guard let place = rest.firstPlace(of: "="), place > rest.startIndex else {
            throw invalid("--set", "NAME=VALUE, with end: or range: before it if needed", text)
        }
        return (timing, String(rest[..<place]), value(String(rest[rest.utf8.index(after: place)...])))
    }

    private mutating func add(_ values: Values?) throws(Refusal) {
        guard let values else { return }
        try addDriving("--set", ["set": .object(values.values)], values.timing, values.targets)
    }

    private mutating func add(_ step: RuleOptions.Step, _ targets: [String]) throws(Refusal) {
        switch step {
        case .action(let text):
            let (timing, name) = Self.timed(text)
            try addDriving("--action", ["action": .string(String(name))], timing, targets)
        case .ceiling(let text):
            let (timing, level) = Self.timed(text)
            add("--ceiling", ["ceiling": level == "null" ? .null : .string(String(level))], timing)
        case .notify(let text): add("--notify", notification(text), nil)
        case .publish(let text):
            let (timing, rest) = Self.timed(text)
            let value = Self.value(String(rest))
            if case .string = value, let first = rest.unicodeScalars.first, ["{", "["].contains(first) {
                throw Self.invalid("--publish", "JSON, or a text", text)
            }
            add("--publish", ["publish": value], timing)
        case .set, .target: break
        }
    }

    private func checkDetails() throws(Refusal) {
        let isNotifying = options.steps.contains { $0.option == "--notify" }
        if !options.channels.isEmpty, !isNotifying { throw Self.needs("--channel", "--notify") }
        if options.text != nil, !isNotifying { throw Self.needs("--text", "--notify") }
        let hasTarget = options.steps.contains { $0.option == "--target" }
        if hasTarget, !options.steps.contains(where: \.isDriving) {
            throw Self.needs("--target", "--set or --action")
        }
    }

    /// - Parameter target: The option that says what is driven.
    private mutating func add(
        _ option: String,
        _ members: JSONObject,
        _ timing: String?,
        _ target: String = "--target"
    ) {
        var members = members
        members["at"] = timing.map { .string($0) }
        let path = "then[\(actions.count)]"
        for (name, other) in [("target", target), ("channels", "--channel"), ("text", "--text")] {
            origins.append(Origin(path: "\(path).\(name)", option: other))
        }
        origins.append(Origin(path: path, option: option))
        actions.append(.object(members))
    }

    /// Adds an action for each target.
    private mutating func addDriving(
        _ option: String,
        _ members: JSONObject,
        _ timing: String?,
        _ targets: [String]
    ) throws(Refusal) {
        var names = targets.map { target in
            target == "nearby" || target[...].firstPlace(of: ":") != nil ? target : "thing:\(target)"
        }
        if names.isEmpty {
            guard let thing = options.thing else { throw Self.needs(option, "--target or --thing") }
            names = ["thing:\(thing)"]
        }
        for name in names {
            var members = members
            members["target"] = .string(name)
            add(option, members, timing, targets.isEmpty ? "--thing" : "--target")
        }
    }

    private static func timed(_ text: String) -> (timing: String?, rest: Substring) {
        for timing in ["start", "end", "range"] where text.utf8.starts(with: "\(timing):".utf8) {
            return (timing, text[text.utf8.index(text.startIndex, offsetBy: timing.utf8.count + 1)...])
        }
        return (nil, text[...])
    }

    private func notification(_ text: String) -> JSONObject {
        let who: JSONValue =
            if text.utf8.starts(with: "sms:".utf8) {
                ["sms": .string(String(text.dropFirst(4)))]
            } else if text.utf8.starts(with: "email:".utf8) {
                ["email": .string(String(text.dropFirst(6)))]
            } else if text[...].firstPlace(of: "@") != nil {
                ["email": .string(text)]
            } else {
                .string(text)
            }
        var members: JSONObject = ["notify": [who]]
        if !options.channels.isEmpty { members["channels"] = .array(options.channels.map { .string($0) }) }
        members["text"] = options.text.map { .string($0) }
        return members
    }
}
