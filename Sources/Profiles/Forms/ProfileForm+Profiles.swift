import JSON

extension ProfileForm {
    /// Profiles as a file to copy, with their texts; it needs no screens or controls of other files.
    package init(of profiles: [Profile], strings: StringTables, as format: Format) {
        var members = [PlacedValue.Member("devices", .list(profiles.map { Self.type($0, as: format) }))]
        let texts = Self.strings(strings, of: profiles)
        if !texts.isEmpty { members.append(PlacedValue.Member("strings", .object(texts))) }
        self.init(PlacedValue(.object(members), at: .start))
    }

    private static func type(_ profile: Profile, as format: Format) -> PlacedValue {
        var members: [PlacedValue.Member] = []
        func add(_ key: String, _ text: String?) {
            if let text { members.append(PlacedValue.Member(key, .string(text))) }
        }
        add("class", profile.className ?? (format == .json ? "AylaDevice" : nil))
        add("oemModel", profile.name)
        add("model", profile.model)
        add("name", profile.title)
        add("icon", profile.icon)
        add("detailScreen", profile.detailScreen)
        add("scheduleScreen", profile.scheduleScreen)
        // The name may be one of another file's controls, its class is known everywhere.
        let control = BuiltInClasses.thingControls.first { $0.value == profile.deviceControlClass }?.key
        add("deviceControl", control == "generic" ? nil : control)
        add("ssidRegex", profile.ssidExpression?.pattern)
        members.append(
            PlacedValue.Member("managedProperties", .list(profile.properties.map { property($0) }))
        )
        return PlacedValue(.object(members), at: .start)
    }

    private static func property(_ property: ProfileProperty) -> PlacedValue {
        var members = [PlacedValue.Member("name", .string(property.name))]
        if let control = property.control { members.append(.init("control", .string(control.rawValue))) }
        let usual = property.usualRange
        if let minimum = property.minimum, minimum != usual?.lowerBound {
            members.append(.init("min", .number(Numeral(minimum))))
        }
        if let maximum = property.maximum, maximum != usual?.upperBound {
            members.append(.init("max", .number(Numeral(maximum))))
        }
        if let step = property.step { members.append(.init("step", .number(Numeral(step)))) }
        if let unit = property.unit { members.append(.init("unit", .string(unit))) }
        if property.notifies { members.append(.init("notify", .bool(true))) }
        if property.isScheduled { members.append(.init("schedule", .bool(true))) }
        if property.isOptional { members.append(.init("optional", .bool(true))) }
        if !property.roles.isEmpty {
            let roles = property.roles.map { PlacedValue(.string($0), at: .start) }
            members.append(.init("roles", .list(roles)))
        }
        if !property.actions.isEmpty {
            members.append(.init("actions", .list(property.actions.map { action($0) })))
        }
        return PlacedValue(.object(members), at: .start)
    }

    private static func action(_ action: ProfileAction) -> PlacedValue {
        let value: PlacedValue.Content =
            switch action.value {
            case .bool(let flag): .bool(flag)
            case .number(let number): .number(Numeral(number))
            case .numeral(let digits): .number(Numeral(Double(digits) ?? 0, text: digits))
            case .string(let text): .string(text)
            case .null, .array, .object: .null
            }
        let members = [PlacedValue.Member("name", .string(action.name)), .init("value", value)]
        return PlacedValue(.object(members), at: .start)
    }

    /// The texts of the names that the profiles have.
    private static func strings(_ strings: StringTables, of profiles: [Profile]) -> [PlacedValue.Member] {
        var keys: Set<String> = []
        for profile in profiles {
            if let title = profile.title { keys.insert(title) }
            for property in profile.properties {
                keys.insert(property.name)
                keys.formUnion(property.actions.map(\.name))
            }
        }
        return strings.languages.compactMap { language in
            let table = (strings.tables[language] ?? [:]).filter { keys.contains($0.key) }
            guard !table.isEmpty else { return nil }
            let texts = table.sorted { $0.key < $1.key }.map { PlacedValue.Member($0.key, .string($0.value)) }
            return PlacedValue.Member(language, .object(texts))
        }
    }
}

extension PlacedValue.Member {
    /// A member of our own, which stands in no file.
    fileprivate init(_ key: String, _ content: PlacedValue.Content) {
        self.init(key: key, keyPosition: .start, value: PlacedValue(content, at: .start))
    }
}
