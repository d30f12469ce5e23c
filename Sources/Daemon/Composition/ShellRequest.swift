/// A request that only the shell can perform.
package enum ShellRequest: Sendable {
    case readConfiguration
    /// Build everything again, with the configuration that was read last.
    case rebuild
    /// Build everything again, to open the databases again.
    case reopen
    case restart
    case stop
    case logLevel(String)
}
