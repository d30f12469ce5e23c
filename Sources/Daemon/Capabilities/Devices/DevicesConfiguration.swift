import Controller
import Messages
import OperatingSystem
package import People
package import Receivers
package import Settings
import Text

extension ConfigurationDefaults {
    /// Devices beside the daemon's own.
    package var devices: [DeviceSettings] { [] }
}

extension TrilateralConfiguration {
    /// The devices beside the daemon's own: their nodes, the users whose they are, and the topics with their locations.
    ///
    /// - Parameters:
    ///   - store: The database, whose devices count as far as they can be read; `nil` for the file alone.
    ///   - first: The daemon's own node.
    package func listedDevices(
        with store: StateStore?,
        first: String
    ) -> (nodes: [String], owners: [String: String], locations: Set<String>) {
        let stored = (try? store?.listedDevices())?.devices ?? []
        // What is wrong in the file is reported when it is loaded.
        let list = (try? DeviceList(file: self.devices, stored: stored, first: first)) ?? DeviceList()
        return (list.devices.map(\.node), list.owners, Set(list.devices.compactMap(\.location)))
    }
}

extension ConfigurationSection {
    static let devices = ConfigurationSection(
        keys: ConfigurationKey.table([
            .init(
                "devices",
                \.devices,
                entries: .init(DeviceSettings.fields, mistakes: \.mistakes) { DeviceSettings(number: $0) },
                example: DeviceSettings.example
            ):
                "Devices beside this one: phones, watches, tags, badges. Each has topics of its own below <base>/<node>, and its "
                + "position from the receivers that hear it. They can be given in the file only; `trilateral device add` "
                + "adds others while the daemon runs."
        ]),
        exchangeable: [.init(\.devices)],
        rules: [.devicesFitTogether],
        advice: [.devicesAreHeard, .devicesAreNotOwn],
        files: [.identityKeysOfDevices]
    )
}

extension DeviceSettings {
    fileprivate static let example = [
        "devices:",
        "  - node: anna                   # its topics: <base>/anna/…; unique on the broker",
        "    name: Anna's phone",
        "    kind: phone                  # phone, watch, tag, badge, tablet, pet or other",
        "    user: anna                   # whose it is: this user may see and move it",
        "    heard_as: [phone:anna]       # what receivers call it: irk:<key>, iBeacon:<uuid>-<major>-<minor>, mac:…",
        "    location: owntracks/anna/phone   # a topic with its location by GPS",
    ]

    /// What is wrong with the entry by itself.
    fileprivate var mistakes: [ConfigurationEntries<DeviceSettings>.Mistake] {
        do throws(DeviceListError) {
            _ = try DeviceList(file: [self], first: "")
            return []
        } catch {
            return error.issues.map { ($0.field, $0.message) }
        }
    }

    /// Whether it has an identity key, and not only the name of one.
    fileprivate var hasIdentityKey: Bool {
        heardAs.contains { text in
            if case .key? = try? HeardID(text: text) { true } else { false }
        }
    }

    fileprivate static let fields: [ConfigurationField<DeviceSettings>] = [
        .init("node", \.node, .anyText, isNeeded: { _ in true }),
        .init("name", \.name, .optional(.anyText)),
        .init("kind", \.kind, .optional(.choice())),
        .init("user", \.user, .optional(.anyText)),
        .init("heard_as", \.heardAs, .list(.heardID)),
        .init("location", \.location, .optional(.anyText)),
    ]
}

extension ConfigurationType<String> {
    /// Any text; the list of devices says what is legal.
    fileprivate static var anyText: ConfigurationType { .checked("a text") { $0.utf8.count <= 1024 } }

    /// What a device is heard as; an identity key is a secret, and is not shown.
    fileprivate static var heardID: ConfigurationType {
        .scalar("an id of at most 1024 bytes") {
            $0.utf8.count <= 1024 ? $0 : nil
        } encode: { text in
            text.lowercased().hasPrefix("irk:") ? "irk:***" : (try? HeardID(text: text))?.description ?? "***"
        }
    }
}

extension ConfigurationRule {
    /// Each device has a node, ids and a name that can be its own.
    static let devicesFitTogether = ConfigurationRule(list: "devices", needed: ["mqtt.node"]) {
        let first = NodeAddress($0, .ofThisMachine()).node
        do throws(DeviceListError) {
            _ = try DeviceList(file: $0.devices, first: first)
            return []
        } catch {
            return error.issues.map { issue in
                let parts = [issue.entry.map { "entry \($0)" }, issue.field, issue.message]
                let message = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
                return Issue(message: message, entry: issue.entry)
            }
        }
    }
}

extension ConfigurationRule {
    /// Warns of devices that can never have a position, and of ids that two devices share.
    fileprivate static let devicesAreHeard = ConfigurationRule(list: "devices", needed: ["mqtt.node"]) {
        let nowhere = $0.devices.filter { $0.heardAs.isEmpty && $0.location == nil }.map { entry in
            Issue(
                message:
                    "\(entry.number.map { "entry \($0): " } ?? "")\(entry.node) has neither heard_as nor location, "
                    + "so it is never anywhere",
                entry: entry.number
            )
        }
        // What is wrong is a problem already.
        let list = try? DeviceList(file: $0.devices, first: NodeAddress($0, .ofThisMachine()).node)
        let shared = (list?.warnings ?? []).map { issue in
            let entry = issue.entry.map { "entry \($0): " } ?? ""
            return Issue(message: "\(entry)\(issue.field): \(issue.message)", entry: issue.entry)
        }
        return nowhere + shared
    }
}

extension ConfigurationRule {
    /// Warns of devices that receivers hear as the daemon's own device.
    fileprivate static let devicesAreNotOwn = ConfigurationRule(
        list: "devices",
        needed: ["mqtt.node", "sensors.espresense.device"]
    ) { values in
        let first = NodeAddress(values, .ofThisMachine()).node
        return values.devices.flatMap { device in
            device.warningsOfOwnDevice(values.espresense.device, first).map { warning in
                let entry = device.number.map { "entry \($0): " } ?? ""
                return Issue(message: "\(entry)\(warning.field): \(warning.message)", entry: device.number)
            }
        }
    }
}

extension ConfigurationFile {
    /// The configuration file itself, if identity keys are in it: with them anybody who can read the file can track the devices.
    fileprivate static let identityKeysOfDevices = ConfigurationFile("devices") { loaded in
        guard loaded.values.devices.contains(where: \.hasIdentityKey), let file = loaded.file,
            let permissions = FileStatus(path: file)?.permissions, permissions & 0o004 != 0
        else { return .success(nil) }
        return .success(
            "everybody on this machine can read the identity keys in \(file): give the file a group that the daemon has, "
                + "and mode 640, or add these devices with `trilateral device add`"
        )
    }
}

extension TrilateralConfiguration {
    /// That the file lists more devices than a daemon may open files for, as a sentence; `nil` if they fit.
    ///
    /// - Parameter limit: The files that the daemon may open.
    package func problem(ofDevicesWithOpenFiles limit: Int) -> String? {
        // More than are legal anyway are reported when the file is loaded.
        guard self.devices.count <= DeviceList.most else { return nil }
        return DeviceList.problem(of: self.devices.count, fitting: OpenFiles.mostDevices(ofLimit: limit))
    }

    /// Devices of the database that receivers hear as the daemon's own device, a sentence each.
    package func problems(ofOwnDeviceAmong store: StateStore) -> [String] {
        guard let own = self.espresense.device else { return [] }
        let first = NodeAddress(self, .ofThisMachine()).node
        return ((try? store.listedDevices())?.devices ?? []).flatMap { device in
            device.warningsOfOwnDevice(own, first).map { "device \(device.node): \($0.field): \($0.message)" }
        }
    }

    /// Users whose devices of the file are, and who are no active users, a sentence each.
    ///
    /// - Parameter table: `nil` before the first start, which makes the owner.
    package func problems(ofDeviceUsersAmong table: AccessTable?) -> [String] {
        self.devices.compactMap { device in
            guard let name = device.user, table?.user(named: name)?.state != .active,
                table != nil || name != self.people.owner
            else { return nil }
            let place = device.number.map { "entry \($0), " } ?? ""
            guard table?.user(named: name) == nil else {
                return "devices: \(place)user: \(QuotedValue.of(name)) is switched off, or not approved"
            }
            let hint = NearestName.hint(for: name, among: table?.users.map(\.name) ?? [])
            return "devices: \(place)user: there is no user \(QuotedValue.of(name))\(hint)"
        }
    }
}

extension DeviceList {
    /// The devices as the controller has them.
    var listed: [ListedNode] {
        devices.map { ListedNode(node: $0.node, name: $0.name, kind: $0.kind.rawValue, user: $0.user) }
    }

    /// The users whose devices are, by node.
    var owners: [String: String] {
        devices.reduce(into: [:]) { owners, device in owners[device.node] = device.user }
    }

    /// That something is not used, as a sentence; `nil` if everything is.
    ///
    /// Alerts are for more people than ids of devices, with which anybody can be followed, so it names none.
    var problem: String? {
        hidden.isEmpty
            ? nil
            : "The database has a device that does not count, since it does not fit the configuration file. "
                + "`trilateral device list` marks it, and `trilateral device show` says why."
    }
}
