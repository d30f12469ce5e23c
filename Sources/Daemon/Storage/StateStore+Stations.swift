import GRDB
package import Resolution
package import Text

/// A Flare server that is found by its serial.
package struct RegisteredStation: Sendable, Hashable {
    package let serial: StationSerial
    package var name: String
    /// As the resolver told it last, or as it was set.
    package var address: StationAddress
    /// What gives scheme, port and the name for TLS; `nil` for `http://ADDRESS:1234`.
    package var url: String?
    package var password: Secret
    /// When the address was learnt, as in messages.
    package var updated: String

    package init(
        serial: StationSerial,
        name: String,
        address: StationAddress,
        url: String?,
        password: Secret,
        updated: String
    ) {
        (self.serial, self.name, self.address) = (serial, name, address)
        (self.url, self.password, self.updated) = (url, password, updated)
    }
}

/// The registered stations.
extension StateStore {
    /// All of them, by name.
    package func stations() throws(StateStoreError) -> [RegisteredStation] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM station ORDER BY name").compactMap { row in
                guard let serial = StationSerial(row["serial"]), let address = StationAddress(row["address"])
                else { return nil }
                return RegisteredStation(
                    serial: serial,
                    name: row["name"],
                    address: address,
                    url: row["url"],
                    password: Secret(row["password"]),
                    updated: row["updated"]
                )
            }
        }
    }

    /// A station by its name, else by its serial; `nil` if there is none.
    package func station(_ word: String) throws(StateStoreError) -> RegisteredStation? {
        let all = try stations()
        let serial = StationSerial(word)
        return all.first { $0.name == word } ?? all.first { $0.serial == serial }
    }

    /// Adds a station, or replaces the one of its serial.
    /// - Throws: Also if another one has its name.
    package func save(_ station: RegisteredStation) throws(StateStoreError) {
        try write { database in
            try database.execute(
                sql: """
                    INSERT INTO station (serial, name, address, url, password, updated) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (serial) DO UPDATE SET name = excluded.name, address = excluded.address,
                        url = excluded.url, password = excluded.password, updated = excluded.updated
                    """,
                arguments: [
                    station.serial.text, station.name, station.address.description, station.url,
                    station.password.reveal(), station.updated,
                ]
            )
        }
    }

    package func remove(_ station: RegisteredStation) throws(StateStoreError) {
        try write {
            try $0.execute(sql: "DELETE FROM station WHERE serial = ?", arguments: [station.serial.text])
        }
    }
}
