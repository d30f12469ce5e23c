import GRDB
import JSON
package import Receivers

/// The devices that were added by verbs or on the page, besides those of the configuration file.
extension StateStore {
    /// Adds the table.
    ///
    /// A row is the entry as an object: its members are checked together with the configuration file, which may have
    /// changed since. It has identity keys, which are secrets. The table `device` is another one: the first device's
    /// identifiers.
    static func addListedDevices(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE listed_device (node TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) STRICT
                """
        )
    }

    /// All of them, by node, and the nodes of entries that cannot be read.
    package func listedDevices() throws(StateStoreError) -> (
        devices: [DeviceSettings], unreadable: [String]
    ) {
        try read { database in
            var devices: [DeviceSettings] = []
            var unreadable: [String] = []
            for row in try Row.fetchAll(database, sql: "SELECT node, entry FROM listed_device ORDER BY node")
            {
                let (node, text): (String, String) = (row["node"], row["entry"])
                guard let value = try? JSONValue(parsing: Array(text.utf8)),
                    let device = try? DeviceSettings(value), device.node == node
                else {
                    unreadable.append(node)
                    continue
                }
                devices.append(device)
            }
            return (devices, unreadable)
        }
    }

    /// Adds a device, or replaces the one of its node.
    ///
    /// - Parameter time: Milliseconds since 1970, UTC.
    package func save(_ device: DeviceSettings, at time: Int64) throws(StateStoreError) {
        try write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO listed_device (node, changed, entry) VALUES (?, ?, ?)",
                arguments: [device.node, time, device.stored.text]
            )
        }
    }

    /// Removes a device; does nothing if there is none.
    package func removeListedDevice(_ node: String) throws(StateStoreError) {
        try write {
            try $0.execute(sql: "DELETE FROM listed_device WHERE node = ?", arguments: [node])
        }
    }
}
