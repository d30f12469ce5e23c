import ArgumentParser
import Directory
import JSON
import Resolution
import Text

struct ResolverListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print all serials with their addresses."
    )

    @OptionGroup var file: ResolverFileOption

    @OptionGroup var list: ListOption

    func run() async throws {
        let rows = try file.withDatabase { try $0.entries() }.map { entry -> JSONValue in
            ["id": .string(entry.id), "ip": entry.address.map { .string($0) } ?? .null]
        }
        try list.write(.array(rows), ["id", "ip"], header: ["SERIAL", "ADDRESS"])
    }
}

struct ResolverGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the address of a serial."
    )

    @Argument(help: "The serial, in any form.")
    var serial: String

    @OptionGroup var file: ResolverFileOption

    func run() async throws {
        let serial = try StationSerial(argument: serial)
        guard let address = try file.withDatabase({ try $0.address(of: serial) }) else {
            throw VerbError("\(serial) is not known", .noInput)
        }
        try StandardOutput.print("\(address)")
    }
}

struct ResolverSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store the address of a serial."
    )

    @Argument(help: "The serial, in any form.")
    var serial: String

    @Argument(help: "An IPv4 address.")
    var address: String

    @OptionGroup var file: ResolverFileOption

    func run() async throws {
        let serial = try StationSerial(argument: serial)
        guard let legal = StationAddress(address) else {
            throw VerbError(
                "an address is four numbers of 0 to 255 without leading zeros, not of 0/8 or 224/3 (is "
                    + "\(QuotedValue.of(address)))",
                .dataError
            )
        }
        try file.withDatabase { try $0.store([(serial, legal)]) }
    }
}

struct ResolverRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove a serial.")

    @Argument(help: "The serial, in any form.")
    var serial: String

    @OptionGroup var file: ResolverFileOption

    func run() async throws {
        let serial = try StationSerial(argument: serial)
        guard try file.withDatabase({ try $0.remove(serial) }) else {
            throw VerbError("\(serial) is not known", .noInput)
        }
    }
}
