package import Logging
package import Positioning
package import Receivers
import Threading

/// The list of devices as it is now: those of the configuration file, and those of the database.
///
/// May be read from any thread. Whoever changes it does so one change after the other.
package final class DeviceRegistry: Sendable {
    /// A change of the list, after it: ``list`` is the newest one.
    package struct Change: Sendable, Hashable {
        /// Devices that were removed, and are to be removed from the place as well.
        package var leavingPlace: Set<String> = []
        /// Devices that were removed: the next one of such a node is another device, even if it is in the list already.
        package var removed: Set<String> = []
    }

    private struct State {
        var file: [DeviceSettings]
        var stored: [DeviceSettings]
        var first: String
        var reserved: Set<String>
        let limit: Int
        var list = DeviceList()
        var watchers: [Int: AsyncStream<Change>.Continuation] = [:]
        var nextWatcher = 0
    }

    private let state: Locked<State>
    private let store: StateStore
    let cipher: BlockCipher
    /// Called with the identity keys of the list, so that no log shows them.
    private let hide: @Sendable ([String]) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - file: The devices of the configuration file.
    ///   - first: The node of the daemon itself.
    ///   - reserved: Levels of topics below the base that are no nodes.
    ///   - limit: For how many devices this program may open enough files.
    ///   - hide: Called with the identity keys of the list, so that no log shows them.
    /// - Throws: All that is wrong in the file. A database that cannot be read is logged, and the file counts alone.
    package init(
        _ store: StateStore,
        file: [DeviceSettings] = [],
        first: String,
        reserved: Set<String> = [],
        limit: Int = DeviceList.most,
        cipher: @escaping BlockCipher,
        hide: @escaping @Sendable ([String]) -> Void = { _ in },
        logger: Logger
    ) throws(DeviceListError) {
        (self.store, self.cipher, self.hide, self.logger) = (store, cipher, hide, logger)
        let stored = Self.stored(store, logger)
        var state = State(file: file, stored: stored, first: first, reserved: reserved, limit: limit)
        state.list = try Self.list(state, cipher)
        hide(Self.keys(state.list))
        self.state = Locked(state)
    }

    private static func stored(_ store: StateStore, _ logger: Logger) -> [DeviceSettings] {
        do throws(StateStoreError) {
            let found = try store.listedDevices()
            for node in found.unreadable {
                logger.error("devices: an entry cannot be read and is ignored", metadata: ["node": "\(node)"])
            }
            return found.devices
        } catch {
            logger.error("devices: those of the database are missing", metadata: ["error": "\(error)"])
            return []
        }
    }

    // MARK: The list

    package var list: DeviceList { state.withLock { $0.list } }

    /// The nodes of all devices, that of the daemon itself first.
    package var nodes: [String] { state.withLock { [$0.first] + $0.list.devices.map(\.node) } }

    /// The nodes of the devices that name a user as theirs, sorted.
    package func nodes(of user: String) -> [String] {
        list.devices.filter { $0.user == user }.map(\.node).sorted()
    }

    /// The entries that count, with their identity keys: those of the file, then those of the database.
    package var settings: [DeviceSettings] {
        state.withLock { state in
            state.file + state.stored.filter { state.list[node: $0.node]?.isFixed == false }
        }
    }

    /// The entries of the database, also those that do not count while the file is as it is.
    package var stored: [DeviceSettings] { state.withLock { $0.stored } }

    /// The node of the daemon itself.
    package var first: String { state.withLock { $0.first } }

    /// Each change from now on, until nobody listens.
    package func changes() -> AsyncStream<Change> {
        let (changes, port) = AsyncStream.makeStream(of: Change.self)
        let number = state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = port
            return state.nextWatcher
        }
        port.onTermination = { [weak self] _ in
            self?.state.withLock { $0.watchers[number] = nil }
        }
        return changes
    }

    // MARK: Changes

    /// The list with the devices of another configuration file, which is not used yet.
    ///
    /// - Throws: All that is wrong in it.
    package func list(
        file: [DeviceSettings],
        first: String,
        reserved: Set<String> = []
    ) throws(DeviceListError) -> DeviceList {
        var next = state.withLock { $0 }
        (next.file, next.first, next.reserved) = (file, first, reserved)
        return try Self.list(next, cipher)
    }

    /// Follows another configuration file.
    ///
    /// - Throws: All that is wrong in it; the list stays as it was.
    package func use(
        file: [DeviceSettings],
        first: String,
        reserved: Set<String> = []
    ) throws(DeviceListError) {
        let isNew = try state.withLock { state throws(DeviceListError) -> Bool in
            guard state.file != file || state.first != first || state.reserved != reserved else {
                return false
            }
            var next = state
            (next.file, next.first, next.reserved) = (file, first, reserved)
            next.list = try Self.list(next, cipher)
            state = next
            return true
        }
        if isNew { report(Change()) }
    }

    /// Adds a device to the database, or changes the one of its node.
    ///
    /// - Parameter time: Milliseconds since 1970, UTC.
    /// - Throws: ``DeviceRefusal``.
    package func save(_ entry: DeviceSettings, at time: Int64) throws(DeviceRefusal) {
        let state = state.withLock { $0 }
        do throws(DeviceListError) {
            _ = try state.list.setting(
                entry,
                stored: state.stored,
                file: state.file,
                first: state.first,
                reserved: state.reserved
            )
        } catch {
            throw DeviceRefusal(error, of: entry.node, isFixed: state.list[node: entry.node]?.isFixed == true)
        }
        // A key in any form is stored in one.
        var entry = entry
        entry.number = nil
        entry.heardAs = entry.heardAs.map { (try? HeardID(text: $0))?.storedText ?? $0 }
        do throws(StateStoreError) { try store.save(entry, at: time) } catch { throw DeviceRefusal(error) }
        setStored(state.stored.filter { $0.node != entry.node } + [entry])
    }

    /// Removes a device from the database.
    ///
    /// - Parameter leavesPlace: Whether it is to be removed from the place as well.
    /// - Throws: ``DeviceRefusal``.
    package func remove(_ node: String, leavingPlace leavesPlace: Bool) throws(DeviceRefusal) {
        let state = state.withLock { $0 }
        guard state.stored.contains(where: { $0.node == node }) else {
            throw state.list[node: node] == nil
                ? .unknown(node, among: state.list.devices.map(\.node)) : .fixed(node)
        }
        do throws(StateStoreError) { try store.removeListedDevice(node) } catch { throw DeviceRefusal(error) }
        // The one of the file, if there is one, stays where it is.
        let isInFile = state.list[node: node]?.isFixed == true
        setStored(
            state.stored.filter { $0.node != node },
            Change(
                leavingPlace: leavesPlace && !isInFile ? [node] : [],
                removed: isInFile ? [] : [node]
            )
        )
    }

    private func setStored(_ stored: [DeviceSettings], _ change: Change = Change()) {
        state.withLock { state in
            state.stored = stored.sorted { $0.node < $1.node }
            // The file was right before.
            if let list = try? Self.list(state, cipher) { state.list = list }
        }
        report(change)
    }

    private func report(_ change: Change) {
        let (list, watchers) = state.withLock { ($0.list, Array($0.watchers.values)) }
        hide(Self.keys(list))
        for watcher in watchers { watcher.yield(change) }
    }

    private static func list(_ state: State, _ cipher: BlockCipher) throws(DeviceListError) -> DeviceList {
        var list = try DeviceList(
            file: state.file,
            stored: state.stored,
            first: state.first,
            reserved: state.reserved,
            limit: state.limit
        )
        list.nameKeys(cipher)
        return list
    }

    private static func keys(_ list: DeviceList) -> [String] { list.keys.map { $0.key.reveal() } }
}
